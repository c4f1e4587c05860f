"""Breakers for people: their states, and holding one open or closed. The rule is ``core.flow.breakers``."""

from dlqconsole.core.flow.keys import dependency_key, type_key
from dlqconsole.engine.breakers.holding import hold, resume
from dlqconsole.engine.breakers.states import State, describe, state_of, states, why

__all__ = [
    "State",
    "dependency_key",
    "describe",
    "hold",
    "resume",
    "state_of",
    "states",
    "type_key",
    "why",
]
