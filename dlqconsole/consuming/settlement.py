"""Settling a claimed message once its handler ran: completed, retried later, or a dead letter."""

from contextlib import AbstractContextManager

from django.db import Error

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Unhandled, registry
from dlqconsole.core.lifecycle import failures
from dlqconsole.core.lifecycle.failures import QueuePolicy, with_ruled_category
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.messages.leases import FIRST_PAUSE
from dlqconsole.core.transient_errors import is_refused, sentence
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.errors import PermanentError, UnusableRecord
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports import exhausted
from dlqconsole.transports.identities import handle_message, identify_message, message_event_type
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


class TransactionBroken(PermanentError):
    """The handler left the transaction that it runs in otherwise than it found it."""


def handle_and_complete(
    source: Source, message: Delivery, known_as: str | None, watch: AbstractContextManager[None]
) -> tuple[HandlerResult, ClaimResult | None]:
    """Run the handler and remove the message, or undo what the handler wrote: None, there is more to settle.

    For sources that commit with us. The claim was committed before, so a crash is counted and no transaction
    outlives the handler. ``watch``: the block in which the handler runs.
    """
    result: HandlerResult | None = None
    try:
        with transaction.atomic():
            depth = len(connection.atomic_blocks)
            with watch:
                result = handle_message(message, known_as)
            result = _check_transaction(result, depth)
            is_success = isinstance(result.outcome, Succeeded)
            is_completed = is_success and bool(source.finish([(message, result)]))
            if not is_completed:
                transaction.set_rollback(True)
    except Error as error:
        if result is None or not is_refused(error):
            raise
        return storage_failure(result, error), None
    if not is_success:
        return result, None
    return result, ClaimResult.COMPLETED if is_completed else ClaimResult.LOST


def _check_transaction(result: HandlerResult, depth: int) -> HandlerResult:
    """Return the result, or a failure if the handler left our transaction open or closed."""
    left_open = len(connection.atomic_blocks) - depth
    if left_open > 0:  # they end here, and nothing of the handler is kept
        del connection.atomic_blocks[depth:]
        del connection.savepoint_ids[len(connection.savepoint_ids) - left_open :]
        connection.needs_rollback = True
        return _fail(result, "the handler left a transaction open, in the one that completes its message")
    if connection.closed_in_transaction:
        return _fail(result, "the handler closed the connection whose transaction completes its message")
    return result


def _fail(result: HandlerResult, sentence: str) -> HandlerResult:
    if not isinstance(result.outcome, Succeeded):
        return result
    return HandlerResult(result.identity, Failed.from_error(TransactionBroken(sentence)))
