"""What becomes of a claimed message once its handler ran: done, later, or a dead letter."""

from dataclasses import replace
from enum import StrEnum

from django.db import Error

from dlqconsole.consuming.put_backs import FIRST_PAUSE
from dlqconsole.engine.database.transient_errors import sentence
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.groups.classification import ruled_category
from dlqconsole.engine.handling import Handled, Unhandled, registry
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.lifecycle.failures import QueuePolicy
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports import exhausted
from dlqconsole.transports.identities import identify_message, message_event_type
from dlqconsole.transports.source import Message, Source


class Settled(StrEnum):
    COMPLETED = "completed"
    LATER = "later"
    DEAD = "dead-lettered"
    LOST = "lost its lease"
    PUT_BACK = "put back for want of a handler"


def settle(source: Source, message: Message, handled: Handled, policy: QueuePolicy) -> Settled:
    """Record what came of a message. A lost lease changes nothing on the queue and is reported."""
    try:
        match outcome := judged(handled).outcome:
            case Unhandled():
                put_back = source.put_back([message], outcome.event_type, delay_seconds=FIRST_PAUSE)
                return Settled.PUT_BACK if put_back else Settled.LOST
            case Failed():
                return _settle_failure(source, message, handled, outcome, policy)
        return Settled.COMPLETED if source.finish([(message, handled)]) else Settled.LOST
    except LeaseLost:
        return Settled.LOST


def judged(handled: Handled) -> Handled:
    """The same, a failure with the category that the failure rules give it; they are asked once."""
    outcome = handled.outcome
    if not isinstance(outcome, Failed) or outcome.ruled_category is not None:
        return handled
    ruled = ruled_category(handled.identity.event_type, outcome)
    return Handled(handled.identity, replace(outcome, ruled_category=ruled))


def unhandled(message: Message, known_as: str | None) -> Unhandled | None:
    """Whether what has stopped its consumers is of a type that this process has no handler for.

    Only who has one can have been stopped by it, and gives it up. What cannot be read has no type, and is
    given up by anybody.
    """
    event_type = message_event_type(message, known_as)
    return None if event_type is None or event_type in registry() else Unhandled(event_type)


def not_stored(handled: Handled, error: Error) -> Handled:
    """What the database will not store becomes the failure it is."""
    refusal = UnusableRecord(f"the database did not store it: {sentence(error)}")
    return Handled(handled.identity, Failed.from_error(refusal))


def _settle_failure(
    source: Source, message: Message, handled: Handled, failure: Failed, policy: QueuePolicy
) -> Settled:
    if failure.fatal and source.counts_crashes and message.crashes + 1 >= failures.MAX_CRASHES:
        source.dead_letter(message, handled.identity, failure, DeadLetterStatus.QUARANTINED)
        return Settled.DEAD
    if failures.times_out(
        failure, f"{source.name_of(message.queue)}/{message.id}", source.revived_from(message)
    ):
        source.dead_letter(message, handled.identity, failure, DeadLetterStatus.QUARANTINED)
        return Settled.DEAD
    allowed = policy.max_retries if message.max_retries is None else message.max_retries
    if failures.retries_on_queue(failure, message.attempts, allowed):
        source.retry_later(message, policy.backoff.seconds(message.attempts), failure)
        return Settled.LATER
    source.dead_letter(message, handled.identity, failure, DeadLetterStatus(failure.status))
    return Settled.DEAD


def has_killed(source: Source, message: Message, policy: QueuePolicy) -> bool:
    """Whether consumers stopped so often while they held a message that it is not handled once more.

    Where crashes are not counted, a claim that came after the last allowed one says that nobody settled it.
    """
    if source.counts_crashes:
        return message.crashes >= failures.MAX_CRASHES
    return message.attempts > policy.max_retries + 1


def quarantine(source: Source, message: Message, known_as: str | None) -> Settled:
    """Bury a message with which consumers keep stopping, without running its handler once more."""
    if not source.counts_crashes:
        return Settled.DEAD if exhausted.bury(source, message) else Settled.LOST
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
        return Settled.LOST
    return Settled.DEAD
