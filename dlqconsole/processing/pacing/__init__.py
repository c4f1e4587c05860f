"""The pace at which failed events are tried again, without a database: question, report, and rule.

Whoever tries failed events again has a pace, with a board that says where the paces stand.
"""

from .judging import DEFAULT_BOUNDS, Bounds
from .pace import SCHEDULE, BasePace, PaceBoard, PaceKey

__all__ = ["DEFAULT_BOUNDS", "SCHEDULE", "BasePace", "Bounds", "PaceBoard", "PaceKey"]
