"""Taking a run over whose worker has gone: only once its lock has run out, by a person, audited."""

from dataclasses import dataclass

from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.errors import EngineError
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.retries.next_run import LOCK
from dlqconsole.retries.sql import sql

# a run that was heard of so recently goes on by itself
ALIVE_SECONDS = 10.0


class TakeOverRefused(EngineError):
    """The lock is held, or there is nothing to take over."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The lock and the open run, by the database's clock. ``silent``: seconds since it was heard of."""

    holder: str
    until: str
    is_held: bool
    run: int | None
    silent: float | None

    @property
    def refusal(self) -> str:
        """Why nobody can take it over now; empty where somebody can."""
        if self.is_held:
            return (
                f"{LOCK} is held by {self.holder} until {self.until} UTC. It can be taken over after that,"
                " and not before: its holder may be at work."
            )
        if self.run is None or self.silent is None:
            return f"Nobody holds {LOCK}, and no run is open: there is nothing to take over."
        if self.silent < ALIVE_SECONDS:
            ago = f"{self.silent:.0f} s ago"
            return f"Run {self.run} was heard of {ago}: a worker in it takes the lock by itself."
        return ""


def standing() -> Standing:
    """How it stands now."""
    return Standing(**fetch_dicts(sql("runs.standing"), {"lock": LOCK})[0])


def take_over(actor: str, reason: str) -> int:
    """End the run of a worker that is gone, so that the next tick begins another; the run's number.

    The lock's token rises: whoever comes back to life finds that it is no longer theirs. Raises
    TakeOverRefused, which says why in a sentence.
    """
    with transaction.atomic():
        found = standing()
        if found.refusal:
            raise TakeOverRefused(found.refusal)
        values = {"lock": LOCK, "by": f"taken over by {actor}", "id": found.run, "alive": ALIVE_SECONDS}
        taken = fetch_column(sql("runs.take_lock"), values)
        if not (taken and fetch_column(sql("runs.take_over"), values)):
            raise TakeOverRefused("Somebody was faster: look again.")
        detail = {"lock": LOCK, "holder": found.holder}
        audit.record(actor, "take over", f"retry_run:{found.run}", reason=reason, detail=detail)
    assert found.run is not None  # noqa: S101  (else it was refused)
    return found.run
