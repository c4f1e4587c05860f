"""Who a message is: the rule of everywhere. What does not name itself is known by its queue and its id."""

from collections.abc import Callable

from dlqconsole.engine.handling import Handled, Identity, event_type_of, handle, identify
from dlqconsole.transports.source import Message


def identify_message(message: Message, source: str | None) -> Identity:
    """Whose event it is. ``source``: that of events which do not name one; None: as on queues of ours."""
    return _asked_of(identify, message, source)


def message_event_type(message: Message, source: str | None) -> str | None:
    """Of which type a message's event is, without running its handler; None where it cannot be read."""
    return _asked_of(event_type_of, message, source)


def handle_message(message: Message, source: str | None) -> Handled:
    """Run the handler of a message; never raises for what it may do."""
    return _asked_of(handle, message, source)


def _asked_of[T](engine: Callable[..., T], message: Message, source: str | None) -> T:
    """The engine knows no message of another system: it is told what the event is when it does not say."""
    payload = (message.payload, message.payload_raw, message.headers)
    return engine(*payload, queue=message.queue, key=message.id, source=source)
