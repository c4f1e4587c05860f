"""A message's identity. A message that does not name itself is known by its queue and id, as everywhere.

``source`` is that of events which do not name one; None: as on queues of ours.
"""

from dlqconsole.core.handling import HandlerResult, Identity, StoredEvent, event_type_of, handle, identify
from dlqconsole.transports.source import Delivery


def identify_message(message: Delivery, source: str | None) -> Identity:
    """Return the identity of the message's event."""
    return identify(stored_event(message, source))


def message_event_type(message: Delivery, source: str | None) -> str | None:
    """Return the type of a message's event without running its handler; None where it is unreadable."""
    return event_type_of(stored_event(message, source))


def handle_message(message: Delivery, source: str | None) -> HandlerResult:
    """Run the handler of a message. Never raises for what the handler does."""
    return handle(stored_event(message, source))


def stored_event(message: Delivery, source: str | None) -> StoredEvent:
    """Return the message as the engine stores events, with a source for events that do not name one."""
    return StoredEvent(
        message.payload,
        message.payload_raw,
        message.headers,
        queue=message.queue,
        key=message.id,
        source=source,
        is_retry=message.attempts > 1,
    )
