"""How fast what failed is tried again, without a database: what is asked, what is told, and the rule.

Whoever tries failed events again has a pace, with a board that says where the paces stand.
"""

from .judging import DEFAULT_BOUNDS, Bounds
from .pace import SCHEDULE, Board, Key, Pace

__all__ = ["DEFAULT_BOUNDS", "SCHEDULE", "Board", "Bounds", "Key", "Pace"]
