"""What can go wrong with an operation. Imports nothing from this room, so that every file may raise these."""

from dlqconsole.engine.errors import EngineError


class OperationRefused(EngineError):
    """An operation that cannot be asked for like this; the sentence says why."""


class NotOurs(EngineError):
    """The lease is lost, or a person cancelled: this worker changes nothing more."""
