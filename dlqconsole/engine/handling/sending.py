"""Events and outcomes as plain tuples: pickling an object costs as much as a quick handler."""

from typing import Any

from django.conf import settings

from dlqconsole.processing.isolation.sending import reduce_for_sending
from dlqconsole.processing.outcomes import Failed, Succeeded

from .events import Handled, Identity, Stored, Unhandled


def to_send(stored: Stored) -> tuple[Any, ...]:
    """An event for a child, which makes a Stored of it again."""
    named = (stored.queue, stored.key, stored.source)
    return stored.text, stored.raw, stored.headers, *named, stored.rehearsal


def packed(handled: Handled) -> tuple[Any, ...]:
    """Who the event is, and what came of it: a record as text, or anything else as it is."""
    who, outcome = handled.identity, handled.outcome
    named = (who.event_type, who.source, who.source_key, who.occurred_at, who.digest)
    if isinstance(outcome, Succeeded):
        return *named, outcome.record_json
    if isinstance(outcome, Failed):
        return *named, reduce_for_sending(outcome, settings.DLQ_HANDLER_MEMORY * 1024**2)
    return *named, outcome


def unpacked(sent: tuple[Any, ...]) -> Handled:
    """The same on this side. The record of a success is there as text only."""
    *named, outcome = sent
    said: Succeeded | Failed | Unhandled = Succeeded(None, outcome) if isinstance(outcome, str) else outcome
    return Handled(Identity(*named), said)
