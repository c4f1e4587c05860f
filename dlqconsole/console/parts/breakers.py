"""Breakers as a person may see them."""

from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.reach import ALL, Reach


def breakers_seen(reach: Reach) -> list[State]:
    """Those that are not closed, or held, and stop something that the person sees."""
    found = breakers.states()
    if not reach.is_limited:
        return found
    return [state for state in found if any(reach.sees(ALL, kind) for kind in state.event_types)]
