"""The pace of retries: slower by itself while they fail again, and faster again afterwards."""

from dlqconsole.engine.pacing.pace import Pace, bounds
from dlqconsole.engine.pacing.paces import GroupPace, paces, rule_words
from dlqconsole.processing.pacing import Bounds, PaceKey

__all__ = ["Bounds", "GroupPace", "Pace", "PaceKey", "bounds", "paces", "rule_words"]
