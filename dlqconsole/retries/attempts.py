"""One attempt at one claimed dead letter: run its handler, record what came of it, hide nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, transaction

from dlqconsole.engine import handling
from dlqconsole.engine.database.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.engine.dead_letters import claims
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import HandlerResult, Identity, Unhandled
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.retries.clock import database_now

Also = Callable[[str, Outcome], None]


@dataclass(frozen=True, slots=True)
class Attempted:
    """``status``: the dead letter's new one; empty when the lease was lost and nothing was recorded."""

    status: str
    outcome: Outcome | Unhandled

    @property
    def lost(self) -> bool:
        return not self.status

    @property
    def unhandled(self) -> bool:
        """Nothing ran, for want of a handler: the dead letter is as it was."""
        return isinstance(self.outcome, Unhandled)


def row_lease_seconds() -> float:
    """A handler may take its whole time, and be killed after it, while nobody extends the lease."""
    return float(settings.DLQ_LEASE_SECONDS) + handling.longest_seconds()


def attempt(claim: Claim, kind: str, also: Also | None = None) -> Attempted:
    """Run the handler and record the outcome; ``also(status, outcome)`` is called in the same transaction."""
    started_at = database_now()
    handled = dead_letters.handle_claim(claim)
    outcome = handled.outcome
    if isinstance(outcome, Unhandled):
        given_back = retry_transient(lambda: claims.give_back([claim]))
        return Attempted(claim.status_before if given_back else "", outcome)
    try:
        return _record(claim, handled.identity, outcome, kind, started_at, also)
    except LeaseLost:
        return Attempted("", outcome)


def _record(
    claim: Claim, identity: Identity, outcome: Outcome, kind: str, started_at: datetime, also: Also | None
) -> Attempted:
    """One transaction. What the database will not store becomes the failure it is."""

    def settle(outcome: Outcome) -> Attempted:
        with transaction.atomic():
            status = dead_letters.settle(claim, HandlerResult(identity, outcome), kind, started_at)
            if also is not None:
                also(status, outcome)
        return Attempted(status, outcome)

    try:
        return retry_transient(lambda: settle(outcome))
    except DatabaseError as error:
        if isinstance(outcome, Failed) or connection_lost(error):
            raise
        refused = UnusableRecord(f"the database did not store it: {sentence(error)}")
        return retry_transient(lambda: settle(Failed.from_error(refused)))
