"""The whole way of a claimed message: run its handler, and record the outcome as its queue's policy says."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from dlqconsole.core import handling, prepared
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Identity, StoredEvent, Unhandled
from dlqconsole.core.lifecycle.failures import with_ruled_category
from dlqconsole.core.lifecycle.retry_limits import limits_for_failure
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.messages.completion import complete_handled
from dlqconsole.core.messages.leases import FIRST_PAUSE, put_back
from dlqconsole.core.sql import sql
from dlqconsole.processing.categories import UNKNOWN
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


def fail(claim: MessageClaim, identity: Identity, failure: Failed, *, note: bool = False) -> int | None:
    """Try the message again later, or make it a dead letter: its queue's policy decides. Raises LeaseLost.

    Return the dead letter's id, if it became one. ``note``: also for the queue's figures, which a consumer of
    many adds up itself.
    """
    return _fail(claim, failure, _letter(identity, failure) | {"note": note})


def dead_letter(claim: MessageClaim, identity: Identity, failure: Failed, status: DeadLetterStatus) -> int:
    """Move the message to the dead letters. Return the dead letter's id. Raises LeaseLost."""
    letter_id = _fail(
        claim, failure, _letter(identity, failure) | {"is_decided": True, "status": str(status)}
    )
    assert letter_id is not None  # noqa: S101
    return letter_id


def retry_later(
    claim: MessageClaim,
    delay_seconds: float,
    reason: str,
    *,
    category: str = UNKNOWN,
    stacktrace: str = "",
    fatal: bool = False,
) -> None:
    """Leave the message on its queue for another attempt after ``delay_seconds``. Raises LeaseLost.

    The failed attempt is kept, with the reason in its row on the queue, too. ``fatal``: its process died of
    it, which is counted until it fails otherwise.
    """
    failure = Failed(reason, category, "", stacktrace, fatal=fatal)
    _fail(claim, failure, {"is_decided": True, "delay": float(delay_seconds)})


def _letter(identity: Identity, failure: Failed) -> dict[str, Any]:
    """The values of the dead letter that it may become."""
    limits = limits_for_failure(identity.event_type, failure)
    return {
        "event_type": identity.event_type,
        "source": identity.source,
        "source_key": identity.source_key,
        "letter_delay": limits.backoff.seconds(1),
        "letter_max_retries": limits.max_retries,
    }


def _fail(claim: MessageClaim, failure: Failed, more: dict[str, Any]) -> int | None:
    values = {
        "event_type": None,
        "source": None,
        "source_key": None,
        "is_decided": False,
        "status": None,
        "delay": None,
        "letter_delay": 0.0,
        "letter_max_retries": None,
        "note": False,
        "id": claim.id,
        "token": claim.lease_token,
        "reason": failure.reason,
        "category": failure.category,
        "ruled_category": failure.ruled_category,
        "stacktrace": failure.stacktrace,
        "fatal": failure.fatal,
    }
    rows = prepared.run(sql("messages.fail"), values | more)()
    if not rows:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its outcome was not recorded.")
    letter_id: int | None = rows[0][1]
    return letter_id
