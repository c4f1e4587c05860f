"""The errors of another system's queue. The engine's errors (LeaseLost, …) mean the same here."""

from dlqconsole.core.errors import EngineError


class TransportUnavailable(EngineError):
    """The other system does not answer, or is not installed; the sentence says which and what to do."""
