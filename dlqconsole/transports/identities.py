"""Who a message is: the rule of everywhere. What does not name itself is known by its queue and its id.

``source`` is that of events which do not name one; None: as on queues of ours.
"""

from dlqconsole.engine.handling import Handled, Identity, Stored, event_type_of, handle, identify
from dlqconsole.transports.source import Message


def identify_message(message: Message, source: str | None) -> Identity:
    """Whose event it is."""
    return identify(_stored(message, source))


def message_event_type(message: Message, source: str | None) -> str | None:
    """Of which type a message's event is, without running its handler; None where it cannot be read."""
    return event_type_of(_stored(message, source))


def handle_message(message: Message, source: str | None) -> Handled:
    """Run the handler of a message; never raises for what it may do."""
    return handle(_stored(message, source))


def _stored(message: Message, source: str | None) -> Stored:
    """The engine knows no message of another system: it is told what the event is when it does not say."""
    payload = (message.payload, message.payload_raw, message.headers)
    return Stored(*payload, queue=message.queue, key=message.id, source=source)
