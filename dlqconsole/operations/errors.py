"""The errors of operations. This file imports nothing from its package, so that every file may raise them."""

from dlqconsole.core.errors import EngineError


class OperationRefused(EngineError):
    """An operation cannot be requested so; the sentence says why."""


class OptionRefused(OperationRefused):
    """An option never takes this value; the sentence says why."""

    asked_wrongly = True


class NotOurs(EngineError):
    """The lease is lost, or a person has cancelled: this worker changes nothing more."""
