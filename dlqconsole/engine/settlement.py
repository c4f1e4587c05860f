"""What becomes of a claimed message once its handler ran: done, later, or a dead letter."""

from enum import StrEnum

from django.conf import settings

from dlqconsole.engine import failures, messages
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.failures import QueuePolicy
from dlqconsole.engine.handling import Handled, Identity
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.sql import sql
from dlqconsole.engine.states import DeadLetterStatus
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import Failed


class Settled(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"


def settle(claim: messages.Claim, handled: Handled, policy: QueuePolicy) -> Settled:
    """Record what came of a claim, in one statement. A lost lease changes nothing and is reported."""
    try:
        if not isinstance(handled.outcome, Failed):
            messages.complete(claim, handled)
            return Settled.COMPLETED
        return _settle_failure(claim, handled, handled.outcome, policy)
    except LeaseLost:
        return Settled.LOST


def _settle_failure(claim: messages.Claim, handled: Handled, failure: Failed, policy: QueuePolicy) -> Settled:
    allowed = policy.max_retries if claim.max_retries is None else claim.max_retries
    if failures.retries_on_queue(failure, claim.retry_count, allowed):
        messages.retry_later(claim, policy.backoff.seconds(claim.retry_count), failure.reason)
        return Settled.LATER
    bury(claim, handled.identity, failure, failures.dead_letter_status(failure))
    return Settled.DEAD


def quarantine(claim: messages.Claim, identity: Identity) -> None:
    """Bury a message that keeps killing its consumers. Raises LeaseLost."""
    failure = Failed(
        reason=f"ConsumerCrashed: this message stopped its consumer {failures.MAX_CRASHES} times",
        category=UNKNOWN,
        error_class="ConsumerCrashed",
        stacktrace="",
    )
    bury(claim, identity, failure, DeadLetterStatus.QUARANTINED)


def bury(claim: messages.Claim, identity: Identity, failure: Failed, status: DeadLetterStatus) -> int:
    """Message out, dead letter in, one statement; the dead letter's id. Raises LeaseLost."""
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
    ids = fetch_column(sql("messages.bury"), values)
    if not ids:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its failure was not recorded.")
    return int(ids[0])
