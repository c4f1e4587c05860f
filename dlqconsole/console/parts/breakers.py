"""Breakers as a person may see them."""

from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.breakers.states import stops_seen


def visible_breakers() -> list[State]:
    """The breakers that are not closed, or held, and stop an event type that the person sees."""
    return [state for state in breakers.states() if stops_seen(state.event_types)]
