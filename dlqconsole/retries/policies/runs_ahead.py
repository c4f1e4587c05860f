"""The runs to come, as far as nobody stops them: for a preview, and for whoever asks when."""

from datetime import datetime, timedelta

from dlqconsole.retries.policies.resolution import Policies, Policy


def next_runs(
    policies: Policies, policy: Policy, begins: datetime | None, every: timedelta, number: int = 5
) -> list[datetime]:
    """The next runs that take what is under ``policy``, in UTC, the soonest first.

    A run begins ``every`` so often after the one before, and whenever a window opens or a pause ends.
    ``begins``: the next run of all; None: the schedule is off, and there are none.
    """
    found: list[datetime] = []
    at = begins
    while at is not None and len(found) < number:
        free = policy.free_at(at)
        if free is None:
            break
        found.append(free)
        opens = policies.opens_after(free)
        at = free + every if opens is None else min(free + every, opens)
    return found
