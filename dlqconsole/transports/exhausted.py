"""Messages that a queue delivered too often and nobody completed."""

from dataclasses import replace

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import registry
from dlqconsole.core.lifecycle.retry_limits import is_revived
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.identities import identify_message
from dlqconsole.transports.source import Delivery, Source


def exhaustion(deliveries: int) -> Failed:
    """Return the failure. It says only that nobody completed the message: more is not known."""
    return Failed(
        reason=f"DeliveriesExhausted: read {deliveries} times and never completed",
        category=UNKNOWN,
        error_class="DeliveriesExhausted",
        stacktrace="",
    )


def status_of(event_type: str) -> DeadLetterStatus:
    """Return PENDING if the schedule may heal it, by a handler of ours or as a policy says, else EXHAUSTED.

    The schedule leaves alone what it cannot heal, so nothing would ever happen to it.
    """
    if is_revived(event_type):
        return DeadLetterStatus.PENDING
    try:
        has_handler = event_type in registry()
    except SetupError:  # said loudly by the schedule; a dead letter must not wait for it
        has_handler = True
    return DeadLetterStatus.PENDING if has_handler else DeadLetterStatus.EXHAUSTED


def dead_letter(source: Source, message: Delivery) -> bool:
    """Dead-letter a message whose earlier deliveries came to nothing; False: somebody else holds it.

    The claim of whoever buries it is no try.
    """
    identity = identify_message(message, source.name_of(message.queue))
    earlier = replace(message, attempts=message.attempts - 1)
    failure = exhaustion(earlier.attempts)
    try:
        source.dead_letter(earlier, identity, failure, status_of(identity.event_type))
    except LeaseLost:
        return False
    return True
