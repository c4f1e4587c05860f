"""What came of attempts, and which begin next, in one short transaction of a run."""

from collections.abc import Sequence
from datetime import datetime

from django.db import DatabaseError, transaction

from dlqconsole.engine.database.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.engine.dead_letters import claims
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.engine.dead_letters.transitions import Settled, Settling
from dlqconsole.engine.handling import HandlerResult
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed

KIND = "schedule"

type Leased = tuple[Claim, float]


def settle_and_begin(
    done: Sequence[Settling], begin: Sequence[Leased]
) -> tuple[list[Settled], dict[int, datetime]]:
    """What was recorded and was ours; and since when the others run, by id. One commit for all.

    What the database refuses to store becomes the failure it is, and harms nothing beside it.
    """
    try:
        return retry_transient(lambda: _together(done, begin))
    except DatabaseError as error:
        if connection_lost(error) or not done:
            raise
    settled = [found for one in done for found in _alone(one)]
    return settled, retry_transient(lambda: _begin(begin))


def _together(done: Sequence[Settling], begin: Sequence[Leased]) -> tuple[list[Settled], dict[int, datetime]]:
    with transaction.atomic():
        return dead_letters.settle_all(done, KIND), _begin(begin)


def _begin(begin: Sequence[Leased]) -> dict[int, datetime]:
    return claims.begin([claim for claim, _ in begin], [lease for _, lease in begin]) if begin else {}


def _alone(one: Settling) -> list[Settled]:
    try:
        return retry_transient(lambda: dead_letters.settle_all([one], KIND))
    except DatabaseError as error:
        if isinstance(one.handled.outcome, Failed) or connection_lost(error):
            raise
        refused = Failed.from_error(UnusableRecord(f"the database did not store it: {sentence(error)}"))
    instead = Settling(
        one.claim, HandlerResult(one.handled.identity, refused), one.started_at, one.delay, one.max_retries
    )
    return retry_transient(lambda: dead_letters.settle_all([instead], KIND))
