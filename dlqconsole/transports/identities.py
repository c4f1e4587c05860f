"""Who a message is: the rule of everywhere. What does not name itself is known by its queue and its id."""

from dlqconsole.engine.handling import Handled, Identity, handle, identify
from dlqconsole.transports.source import Message


def identify_message(message: Message, source: str | None) -> Identity:
    """Whose event it is. ``source``: that of events which do not name one; None: as on queues of ours."""
    return identify(
        message.payload,
        message.payload_raw,
        message.headers,
        queue=message.queue,
        key=message.id,
        source=source,
    )


def handle_message(message: Message, source: str | None) -> Handled:
    """Run the handler of a message; never raises for what it may do."""
    return handle(
        message.payload,
        message.payload_raw,
        message.headers,
        queue=message.queue,
        key=message.id,
        source=source,
    )
