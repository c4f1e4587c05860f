"""The expected times of the next runs."""

from datetime import datetime, timedelta

from dlqconsole.retries.policies.resolution import Policies, Policy


def next_runs(
    policies: Policies, policy: Policy, begins: datetime | None, every: timedelta, number: int = 5
) -> list[datetime]:
    """Return the next runs that take dead letters under ``policy``, in UTC, the soonest first.

    A run begins ``every`` so often after the one before, and whenever a window opens or a pause ends.
    ``begins``: the next run of all; None: the schedule is off, and there are none.
    """
    runs: list[datetime] = []
    at = begins
    while at is not None and len(runs) < number:
        free = policy.free_at(at)
        if free is None:
            break
        runs.append(free)
        opens = policies.opens_after(free)
        at = free + every if opens is None else min(free + every, opens)
    return runs
