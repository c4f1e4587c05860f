"""Circuit breakers without a database: the check before a handler runs, and the report after it.

Whoever runs handlers has a gate, with a board that says where the breakers stand.
"""

from .failure_score import FailureScore, success_weight
from .gate import DEFAULT_RULES, Blocked, Board, Gate, Rules, Stopped
from .keys import blamed, dependency_key, keys_of, type_key, types_of

__all__ = [
    "DEFAULT_RULES",
    "Blocked",
    "Board",
    "FailureScore",
    "Gate",
    "Rules",
    "Stopped",
    "blamed",
    "dependency_key",
    "keys_of",
    "success_weight",
    "type_key",
    "types_of",
]
