"""How fast what failed is tried again: slower by itself while it comes back, and faster again."""

from dlqconsole.engine.pacing.judging import Bounds
from dlqconsole.engine.pacing.pace import Pace, bounds

__all__ = ["Bounds", "Pace", "bounds"]
