"""Who a message of an attached queue is: the rule of everywhere; its position names the other system."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dlqconsole.engine.handling import Handled, Identity, handle, identify
from dlqconsole.processing.headers import with_headers
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.transports.protocol import Delivery

# The notes that a forwarded message carries: which dead letter it is, and which revival.
EVENT_ID, REVIVE_SEQ = "x-dlq-event-id", "x-dlq-revive-seq"


def identify_delivery(name: str, delivery: Delivery) -> Identity:
    """A message names itself (CloudEvent, ``ce_`` headers), else it is ``<transport>:<queue>`` and its id."""
    identity = identify(
        delivery.payload,
        delivery.payload_raw,
        _headers(name, delivery),
        queue=delivery.queue,
        key=str(delivery.id),
    )
    return _positioned(name, delivery, identity)


def handle_delivery(name: str, delivery: Delivery) -> Handled:
    """Run the handler of a message; never raises for what it may do."""
    handled = handle(
        delivery.payload,
        delivery.payload_raw,
        _headers(name, delivery),
        queue=delivery.queue,
        key=str(delivery.id),
    )
    return replace(handled, identity=_positioned(name, delivery, handled.identity))


def revival(headers: Mapping[str, Any]) -> tuple[int, int] | None:
    """The dead letter and the revival that a message's headers name, or None."""
    event_id = as_id(str(headers.get(EVENT_ID, "")))
    sequence = as_id(str(headers.get(REVIVE_SEQ, "")), most=2**31 - 1)
    return None if event_id is None or sequence is None else (event_id, sequence)


def _headers(name: str, delivery: Delivery) -> Mapping[str, Any]:
    # two systems may each have a queue "orders" with a message 5: the source tells them apart
    return with_headers(delivery.headers, {"ce_source": delivery.headers.get("ce_source", name)})


def _positioned(name: str, delivery: Delivery, identity: Identity) -> Identity:
    """What could not be read is known by its position alone, and the position names the system, too."""
    unread = identity.source == f"queue:{delivery.queue}"
    return replace(identity, source=name) if unread else identity
