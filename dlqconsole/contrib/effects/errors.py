"""The refusals of the ledger."""

from dlqconsole.core.errors import EngineError


class NoSuchEffect(EngineError):
    """No effect of this name and key waits for an answer."""
