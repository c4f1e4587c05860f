"""The errors of people and tokens, as sentences."""

from dlqconsole.core.errors import EngineError


class TokenRefused(EngineError):
    """A token is invalid or gives too few rights. The sentence says why and never contains the token."""


class WrongTokenScope(TokenRefused):
    """A valid token is for something else."""
