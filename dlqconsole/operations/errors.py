"""What can go wrong with an operation. Imports nothing from this room, so that every file may raise these."""

from dlqconsole.engine.errors import EngineError


class OperationRefused(EngineError):
    """An operation that cannot be asked for like this; the sentence says why."""


class OptionRefused(OperationRefused):
    """A value that an option never takes; the sentence says why."""

    asked_wrongly = True


class NotOurs(EngineError):
    """The lease is lost, or a person cancelled: this worker changes nothing more."""
