"""Take over the run of a worker that is gone: by a person, after its lock has expired, audited."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.retries.next_run import LOCK
from dlqconsole.retries.sql import sql

# a run with news so recent goes on by itself
ALIVE_SECONDS = 10.0


class TakeOverRefused(EngineError):
    """The lock is held, or there is nothing to take over."""


@dataclass(frozen=True, slots=True)
class TakeoverState:
    """The lock and the open run, by the database's clock. ``silent``: the seconds since its last news."""

    holder: str
    until: str
    is_held: bool
    run: int | None
    silent: float | None

    @property
    def refusal(self) -> str:
        """The reason why nobody can take it over now; empty: a person can."""
        if self.is_held:
            return _(
                "{lock} is held by {holder} until {until} UTC. It can be taken over after that, and"
                " not before: its holder may be at work."
            ).format(lock=LOCK, holder=self.holder, until=self.until)
        if self.run is None or self.silent is None:
            return _("Nobody holds {lock}, and no run is open: there is nothing to take over.").format(
                lock=LOCK
            )
        if self.silent < ALIVE_SECONDS:
            ago = _("{silent:.0f} s ago").format(silent=self.silent)
            return _("Run {run} was heard of {ago}: a worker in it takes the lock by itself.").format(
                run=self.run, ago=ago
            )
        return ""


def takeover_state() -> TakeoverState:
    """The present state of the lock and the open run."""
    return TakeoverState(**fetch_dicts(sql("runs.standing"), {"lock": LOCK})[0])


def take_over(actor: str, reason: str) -> int:
    """End the run of a worker that is gone, so that the next tick begins another; return its number.

    The lock's token rises, so the old worker, if it comes back, finds that the lock is lost. Raises
    TakeOverRefused with a sentence.
    """
    with transaction.atomic():
        state = takeover_state()
        if state.refusal:
            raise TakeOverRefused(state.refusal)
        values = {"lock": LOCK, "by": f"taken over by {actor}", "id": state.run, "alive": ALIVE_SECONDS}
        rows = fetch_column(sql("runs.take_lock"), values)
        if not (rows and fetch_column(sql("runs.take_over"), values)):
            raise TakeOverRefused(_("Somebody was faster: look again."))
        detail = {"lock": LOCK, "holder": state.holder}
        audit.record(actor, "take over", f"retry_run:{state.run}", reason=reason, detail=detail)
    assert state.run is not None  # noqa: S101  (else it was refused)
    return state.run
