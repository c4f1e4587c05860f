"""The refusals of insight."""

from dlqconsole.core.errors import EngineError


class InvalidSampling(EngineError):
    """Samples cannot be kept or erased as asked; the sentence says why."""
