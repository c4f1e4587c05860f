"""Settling a claimed message once its handler ran: completed, retried later, or a dead letter."""

from dataclasses import replace
from enum import StrEnum

from django.db import Error

from dlqconsole.consuming.unhandled_backoff import FIRST_PAUSE
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Unhandled, registry
from dlqconsole.core.lifecycle import failures
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.lifecycle.rules import ruled_category
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.transient_errors import sentence
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports import exhausted
from dlqconsole.transports.identities import identify_message, message_event_type
from dlqconsole.transports.source import Delivery, Source


class ClaimResult(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"
    PUT_BACK = "put back for want of a handler"


def settle(source: Source, message: Delivery, result: HandlerResult, policy: QueuePolicy) -> ClaimResult:
    """Record the outcome of a message. A lost lease changes nothing on the queue and is reported."""
    try:
        match outcome := with_ruled_category(result).outcome:
            case Unhandled():
                put_back = source.put_back([message], outcome.event_type, delay_seconds=FIRST_PAUSE)
                return ClaimResult.PUT_BACK if put_back else ClaimResult.LOST
            case Failed():
                return _settle_failure(source, message, result, outcome, policy)
        return ClaimResult.COMPLETED if source.finish([(message, result)]) else ClaimResult.LOST
    except LeaseLost:
        return ClaimResult.LOST


def with_ruled_category(result: HandlerResult) -> HandlerResult:
    """Return the result; a failure gets the category of the failure rules, which are asked once."""
    outcome = result.outcome
    if not isinstance(outcome, Failed) or outcome.ruled_category is not None:
        return result
    category = ruled_category(result.identity.event_type, outcome)
    return HandlerResult(result.identity, replace(outcome, ruled_category=category))


def missing_handler(message: Delivery, known_as: str | None) -> Unhandled | None:
    """Return Unhandled for a message of a type that this process has no handler for, else None.

    Only a process with the handler can have been stopped by it, and gives the message up. An unreadable
    message has no type: any process gives it up.
    """
    event_type = message_event_type(message, known_as)
    return None if event_type is None or event_type in registry() else Unhandled(event_type)


def storage_failure(result: HandlerResult, error: Error) -> HandlerResult:
    """Return the failure of an event whose record the database refuses to store."""
    refusal = UnusableRecord(f"the database did not store it: {sentence(error)}")
    return HandlerResult(result.identity, Failed.from_error(refusal))


def _settle_failure(
    source: Source, message: Delivery, result: HandlerResult, failure: Failed, policy: QueuePolicy
) -> ClaimResult:
    if failure.fatal and source.counts_crashes and message.crashes + 1 >= failures.MAX_CRASHES:
        source.dead_letter(message, result.identity, failure, DeadLetterStatus.QUARANTINED)
        return ClaimResult.DEAD
    if failures.times_out(
        failure, f"{source.name_of(message.queue)}/{message.id}", source.revived_from(message)
    ):
        source.dead_letter(message, result.identity, failure, DeadLetterStatus.QUARANTINED)
        return ClaimResult.DEAD
    max_retries = policy.max_retries if message.max_retries is None else message.max_retries
    if failures.retries_on_queue(failure, message.attempts, max_retries):
        source.retry_later(message, policy.backoff.seconds(message.attempts), failure)
        return ClaimResult.LATER
    source.dead_letter(message, result.identity, failure, DeadLetterStatus(failure.status))
    return ClaimResult.DEAD


def has_killed(source: Source, message: Delivery, policy: QueuePolicy) -> bool:
    """Tell whether consumers stopped so often while they held a message that it is not handled again.

    Without a count of crashes, a claim beyond the last allowed one shows that nobody settled the message.
    """
    if source.counts_crashes:
        return message.crashes >= failures.MAX_CRASHES
    return message.attempts > policy.max_retries + 1


def quarantine(source: Source, message: Delivery, known_as: str | None) -> ClaimResult:
    """Dead-letter a message with which consumers keep stopping, without running its handler again."""
    if not source.counts_crashes:
        return ClaimResult.DEAD if exhausted.dead_letter(source, message) else ClaimResult.LOST
    failure = Failed(
        reason=f"ConsumerCrashed: its consumer stopped {message.crashes} times while it held this message",
        category=UNKNOWN,
        error_class="ConsumerCrashed",
        stacktrace="",
    )
    identity = identify_message(message, known_as)
    try:
        source.dead_letter(message, identity, failure, DeadLetterStatus.QUARANTINED)
    except LeaseLost:
        return ClaimResult.LOST
    return ClaimResult.DEAD
