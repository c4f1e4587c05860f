"""Circuit breakers without a database: what is asked before a handler runs, and what is told after it.

Whoever runs handlers has a gate, with a board that says where the breakers stand.
"""

from .gate import DEFAULT_RULES, Blocked, Board, Gate, Rules, Stopped
from .keys import blamed, dependency_key, keys_of, type_key, types_of
from .tendency import Tendency, success_weight

__all__ = [
    "DEFAULT_RULES",
    "Blocked",
    "Board",
    "Gate",
    "Rules",
    "Stopped",
    "Tendency",
    "blamed",
    "dependency_key",
    "keys_of",
    "success_weight",
    "type_key",
    "types_of",
]
