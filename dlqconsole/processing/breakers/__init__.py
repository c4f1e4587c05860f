"""Circuit breakers without a database: the check before a handler runs, and the report after it.

Whoever runs handlers has a gate, with a board that says where the breakers stand.
"""

from .failure_score import FailureScore, success_weight
from .gate import DEFAULT_RULES, Blocked, BlockedTypes, BreakerBoard, BreakerGate, Rules
from .keys import dependency_key, key_to_blame, keys_of, type_key, types_of

__all__ = [
    "DEFAULT_RULES",
    "Blocked",
    "BlockedTypes",
    "BreakerBoard",
    "BreakerGate",
    "FailureScore",
    "Rules",
    "dependency_key",
    "key_to_blame",
    "keys_of",
    "success_weight",
    "type_key",
    "types_of",
]
