"""The whole way of a claimed message: run its handler, and record the outcome as its queue's policy says."""

from enum import StrEnum

from dlqconsole.core import handling
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, StoredEvent, Unhandled
from dlqconsole.core.lifecycle.failures import MAX_CRASHES, crash_of_consumer, step_after
from dlqconsole.core.lifecycle.rules import with_ruled_category
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.messages.completion import complete_handled
from dlqconsole.core.messages.dead_lettering import dead_letter
from dlqconsole.core.messages.leases import retry_later
from dlqconsole.core.messages.policies import policy
from dlqconsole.core.messages.unhandled import FIRST_PAUSE, put_back
from dlqconsole.processing.outcomes import Failed


class ClaimResult(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"
    PUT_BACK = "put back for want of a handler"


def process(claim: MessageClaim) -> ClaimResult:
    """Run the handler of a claimed message and settle it. Quarantines one that stopped its consumers."""
    if claim.crash_count >= MAX_CRASHES:
        crash = HandlerResult(handling.identify(_event(claim)), crash_of_consumer(claim.crash_count))
        return _dead_letter(claim, crash, DeadLetterStatus.QUARANTINED)
    return settle(claim, handling.handle(_event(claim)))


def settle(claim: MessageClaim, result: HandlerResult) -> ClaimResult:
    """Complete the message, leave it for another try, or make it a dead letter.

    A lost lease changes nothing: somebody else has the message.
    """
    result = with_ruled_category(result)
    match outcome := result.outcome:
        case Unhandled():
            is_ours = bool(put_back([claim], outcome.event_type, FIRST_PAUSE))
            return ClaimResult.PUT_BACK if is_ours else ClaimResult.LOST
        case Failed():
            return _settle_failure(claim, result, outcome)
    return ClaimResult.COMPLETED if complete_handled([(claim, result)]) else ClaimResult.LOST


def _settle_failure(claim: MessageClaim, result: HandlerResult, failure: Failed) -> ClaimResult:
    step = step_after(
        failure,
        policy(claim.queue),
        message=f"{claim.queue}/{claim.id}",
        revived_from=claim.dlq_event_id,
        attempts=claim.retry_count,
        max_retries=claim.max_retries,
        crashes=claim.crash_count,
    )
    if isinstance(step, DeadLetterStatus):
        return _dead_letter(claim, result, step)
    words = {"category": failure.category, "stacktrace": failure.stacktrace}
    try:
        retry_later(claim, step, failure.reason, fatal=failure.fatal, **words)
    except LeaseLost:
        return ClaimResult.LOST
    return ClaimResult.LATER


def _dead_letter(claim: MessageClaim, result: HandlerResult, status: DeadLetterStatus) -> ClaimResult:
    assert isinstance(result.outcome, Failed)  # noqa: S101
    try:
        dead_letter(claim, result.identity, result.outcome, status)
    except LeaseLost:
        return ClaimResult.LOST
    return ClaimResult.DEAD


def _event(claim: MessageClaim) -> StoredEvent:
    return StoredEvent(claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id))
