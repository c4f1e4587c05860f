"""What becomes of a claimed message once its handler ran: done, later, or a dead letter."""

from enum import StrEnum

from django.conf import settings
from django.db import Error

from dlqconsole.engine import messages
from dlqconsole.engine.database import prepared
from dlqconsole.engine.database.transient_errors import sentence
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import Handled, Identity, identify
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.lifecycle.failures import QueuePolicy
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.sql import sql
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed


class Settled(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"


def settle(claim: messages.Claim, handled: Handled, policy: QueuePolicy) -> Settled:
    """Record what came of a claim, in one transaction. A lost lease changes nothing and is reported."""
    try:
        if not isinstance(handled.outcome, Failed):
            done = messages.complete_handled([(claim, handled)])
            return Settled.COMPLETED if done else Settled.LOST
        return _settle_failure(claim, handled, handled.outcome, policy)
    except LeaseLost:
        return Settled.LOST


def not_stored(handled: Handled, error: Error) -> Handled:
    """What the database will not store becomes the failure it is."""
    refusal = UnusableRecord(f"the database did not store it: {sentence(error)}")
    return Handled(handled.identity, Failed.from_error(refusal))


def _settle_failure(claim: messages.Claim, handled: Handled, failure: Failed, policy: QueuePolicy) -> Settled:
    allowed = policy.max_retries if claim.max_retries is None else claim.max_retries
    if failures.retries_on_queue(failure, claim.retry_count, allowed):
        messages.retry_later(claim, policy.backoff.seconds(claim.retry_count), failure.reason)
        return Settled.LATER
    bury(claim, handled.identity, failure, failures.dead_letter_status(failure))
    return Settled.DEAD


def quarantine(claim: messages.Claim) -> Settled:
    """Bury a message that keeps killing its consumers, without running its handler once more."""
    identity = identify(claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id))
    failure = Failed(
        reason=f"ConsumerCrashed: this message stopped its consumer {failures.MAX_CRASHES} times",
        category=UNKNOWN,
        error_class="ConsumerCrashed",
        stacktrace="",
    )
    try:
        bury(claim, identity, failure, DeadLetterStatus.QUARANTINED)
    except LeaseLost:
        return Settled.LOST
    return Settled.DEAD


def bury(claim: messages.Claim, identity: Identity, failure: Failed, status: DeadLetterStatus) -> int:
    """Message out, dead letter in, one statement; the dead letter's id. Raises LeaseLost.

    The next message of its group, if it has one, is called in the same transaction.
    """
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "event_type": identity.event_type,
        "source": identity.source,
        "source_key": identity.source_key,
        "reason": failure.reason,
        "category": failure.category,
        "stacktrace": failure.stacktrace,
        "status": str(status),
        "delay": failures.dead_letter_delay(failure, 0),
        "schedule_max_retries": settings.DLQ_RETRY_MAX_RETRIES,
    }
    with prepared.together():
        rows = prepared.run(sql("messages.bury"), values)
        messages.unblock_next([claim])
    ids = rows()
    if not ids:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its failure was not recorded.")
    return int(ids[0][0])
