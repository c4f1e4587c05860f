"""Sentences for whoever is not known, or may not do this."""

from dlqconsole.engine.errors import EngineError


class TokenRefused(EngineError):
    """A token proves nothing, or not enough; the sentence says why. It never holds the token."""
