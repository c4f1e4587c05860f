"""The whole way of a claimed message: run its handler, and record the outcome as its queue's policy says."""

from collections.abc import Sequence
from enum import StrEnum

from dlqconsole.core import handling
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, StoredEvent, Unhandled
from dlqconsole.core.lifecycle.rules import with_ruled_category
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.messages.completion import complete_handled
from dlqconsole.core.messages.failing import fail
from dlqconsole.core.messages.leases import FIRST_PAUSE, put_back
from dlqconsole.processing.outcomes import Failed


class ClaimResult(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"
    PUT_BACK = "put back for want of a handler"


def process(claim: MessageClaim) -> ClaimResult:
    """Run the handler of a claimed message and settle it."""
    return settle(claim, handling.handle(_event_of(claim)))


def process_all(claims: Sequence[MessageClaim]) -> list[ClaimResult]:
    """Do the same with several: batch handlers have them together."""
    results = handling.handle_all([_event_of(claim) for claim in claims])
    return [settle(claim, result) for claim, result in zip(claims, results, strict=True)]


def _event_of(claim: MessageClaim) -> StoredEvent:
    payload = (claim.payload, claim.payload_raw, claim.headers)
    return StoredEvent(*payload, queue=claim.queue, key=str(claim.id), is_retry=claim.retry_count > 1)


def settle(claim: MessageClaim, result: HandlerResult) -> ClaimResult:
    """Complete the message, leave it for another try, or make it a dead letter.

    A lost lease changes nothing: somebody else has the message.
    """
    match outcome := with_ruled_category(result).outcome:
        case Unhandled():
            is_ours = bool(put_back([claim], outcome.event_type, FIRST_PAUSE))
            return ClaimResult.PUT_BACK if is_ours else ClaimResult.LOST
        case Failed():
            return _settle_failure(claim, result, outcome)
    is_ours = bool(complete_handled([(claim, result)], note=True))
    return ClaimResult.COMPLETED if is_ours else ClaimResult.LOST


def _settle_failure(claim: MessageClaim, result: HandlerResult, failure: Failed) -> ClaimResult:
    try:
        letter_id = fail(claim, result.identity, failure, note=True)
    except LeaseLost:
        return ClaimResult.LOST
    return ClaimResult.LATER if letter_id is None else ClaimResult.DEAD
