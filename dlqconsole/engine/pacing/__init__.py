"""How fast what failed is tried again: slower by itself while it comes back, and faster again."""

from dlqconsole.engine.pacing.pace import Pace, bounds
from dlqconsole.engine.pacing.paces import GroupPace, paces, rule_words
from dlqconsole.processing.pacing import Bounds, PaceKey

__all__ = ["Bounds", "GroupPace", "Pace", "PaceKey", "bounds", "paces", "rule_words"]
