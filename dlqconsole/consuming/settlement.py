"""Settling a claimed message once its handler ran: completed, retried later, or a dead letter."""

from django.db import Error

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Unhandled, registry
from dlqconsole.core.lifecycle import failures
from dlqconsole.core.lifecycle.failures import QueuePolicy, with_ruled_category
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages.leases import FIRST_PAUSE
from dlqconsole.core.messages.settling import ClaimResult
from dlqconsole.core.transient_errors import sentence
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports import exhausted
from dlqconsole.transports.identities import identify_message, message_event_type
from dlqconsole.transports.source import Delivery, Source


def settle(source: Source, message: Delivery, result: HandlerResult, policy: QueuePolicy) -> ClaimResult:
    """Record the outcome of a message. A lost lease changes nothing on the queue and is reported."""
    try:
        match outcome := with_ruled_category(result).outcome:
            case Unhandled():
                put_back = source.put_back([message], outcome.event_type, delay_seconds=FIRST_PAUSE)
                return ClaimResult.PUT_BACK if put_back else ClaimResult.LOST
            case Failed():
                is_dead = source.fail(message, result.identity, outcome, policy)
                return ClaimResult.DEAD if is_dead else ClaimResult.LATER
        return ClaimResult.COMPLETED if source.finish([(message, result)]) else ClaimResult.LOST
    except LeaseLost:
        return ClaimResult.LOST


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
    failure = failures.crash_of_consumer(message.crashes)
    identity = identify_message(message, known_as)
    try:
        source.dead_letter(message, identity, failure, DeadLetterStatus.QUARANTINED)
    except LeaseLost:
        return ClaimResult.LOST
    return ClaimResult.DEAD
