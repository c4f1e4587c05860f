"""One attempt at one claimed dead letter: run its handler, and record the outcome, whatever it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.dead_letters.transitions import Settled, Settling
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Identity, Unhandled
from dlqconsole.core.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.retries.clock import database_now

Also = Callable[[str, Outcome], None]

KIND = "schedule"

type ClaimLease = tuple[Claim, float]


@dataclass(frozen=True, slots=True)
class Attempted:
    """The result of an attempt.

    ``status``: the dead letter's new one; empty: the lease was lost, nothing recorded.
    """

    status: str
    outcome: Outcome | Unhandled

    @property
    def lost(self) -> bool:
        return not self.status

    @property
    def unhandled(self) -> bool:
        """Tell whether no handler ran because there is none: the dead letter is as it was."""
        return isinstance(self.outcome, Unhandled)


def row_lease_seconds() -> float:
    """The lease of one row: a handler takes its whole time and is killed, and nobody extends the lease."""
    return float(settings.DLQ_LEASE_SECONDS) + handling.longest_seconds()


def attempt(claim: Claim, kind: str, also: Also | None = None) -> Attempted:
    """Run the handler and record the outcome; call ``also(status, outcome)`` in the same transaction."""
    started_at = database_now()
    result = dead_letters.handle_claim(claim)
    outcome = result.outcome
    if isinstance(outcome, Unhandled):
        is_given_back = retry_transient(lambda: claims.give_back([claim]))
        return Attempted(claim.status_before if is_given_back else "", outcome)
    try:
        return _record(claim, result.identity, outcome, kind, started_at, also)
    except LeaseLost:
        return Attempted("", outcome)


def _record(
    claim: Claim, identity: Identity, outcome: Outcome, kind: str, started_at: datetime, also: Also | None
) -> Attempted:
    """Record the outcome in one transaction. A record that the database rejects becomes a failure."""

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
        rejection = UnusableRecord(f"the database did not store it: {sentence(error)}")
        return retry_transient(lambda: settle(Failed.from_error(rejection)))


def settle_and_begin(
    settlings: Sequence[Settling], begin: Sequence[ClaimLease]
) -> tuple[list[Settled], dict[int, datetime]]:
    """Return the settlements of our claims, and the start times of the new ones by id. One commit for all.

    A record that the database rejects becomes a failure, and harms no other.
    """
    try:
        return retry_transient(lambda: _settle_and_begin_once(settlings, begin))
    except DatabaseError as error:
        if connection_lost(error) or not settlings:
            raise
    settlements = [settlement for one in settlings for settlement in _settle_alone(one)]
    return settlements, retry_transient(lambda: _begin(begin))


def _settle_and_begin_once(
    settlings: Sequence[Settling], begin: Sequence[ClaimLease]
) -> tuple[list[Settled], dict[int, datetime]]:
    with transaction.atomic():
        return dead_letters.settle_all(settlings, KIND), _begin(begin)


def _begin(begin: Sequence[ClaimLease]) -> dict[int, datetime]:
    return claims.begin([claim for claim, _ in begin], [lease for _, lease in begin]) if begin else {}


def _settle_alone(one: Settling) -> list[Settled]:
    try:
        return retry_transient(lambda: dead_letters.settle_all([one], KIND))
    except DatabaseError as error:
        if isinstance(one.handled.outcome, Failed) or connection_lost(error):
            raise
        failure = Failed.from_error(UnusableRecord(f"the database did not store it: {sentence(error)}"))
    instead = Settling(
        one.claim, HandlerResult(one.handled.identity, failure), one.started_at, one.delay, one.max_retries
    )
    return retry_transient(lambda: dead_letters.settle_all([instead], KIND))
