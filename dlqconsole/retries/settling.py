"""Settle the outcomes of attempts and begin the next ones, in one short transaction of a run."""

from collections.abc import Sequence
from datetime import datetime

from django.db import DatabaseError

from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.dead_letters.transitions import Settled, Settling
from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed

KIND = "schedule"

type ClaimLease = tuple[Claim, float]


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
