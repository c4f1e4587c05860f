"""Breakers as a person may see them."""

from dataclasses import replace

from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.breakers import State, stops_seen


def visible_breakers() -> list[State]:
    """The breakers that are not closed, or held, and stop an event type that the person sees.

    Each has only the event types that the person sees.
    """
    access = current_access()
    return [
        replace(state, event_types=tuple(kind for kind in state.event_types if access.sees(ALL, kind)))
        for state in breakers.states()
        if stops_seen(state.event_types)
    ]
