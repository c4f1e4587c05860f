"""The errors of an event, and who can mend each.

A handler raises one of these (or a subclass of its own); the class says whether time, another
system, or a person has to act. The name of the class becomes the first word of `error_reason`.
"""

from typing import ClassVar


class HandlerError(Exception):
    """Root of the errors that know their category."""

    category: ClassVar[str] = "UNKNOWN"


class TransientError(HandlerError):
    """It failed now and may well work in a moment: a timeout, a lock, a lost connection."""

    category = "TRANSIENT"


class DependencyError(HandlerError):
    """Another system must recover, or other data must arrive, before this can work.

    A handler that names several dependencies says which by ``dependency``, as an attribute of its class or of
    the error.
    """

    category = "DEPENDENCY"
    dependency: str = ""


class MissingData(DependencyError):
    """The other side answered, and has not (yet) what this event needs. Retried, and no sign of an outage."""


class PermanentError(HandlerError):
    """The same event will fail in the same way for ever; only a person can change that."""

    category = "PERMANENT"


class BusinessError(HandlerError):
    """The event is well formed, but a rule of the business refuses it; a person decides."""

    category = "BUSINESS"


class SchemaViolation(PermanentError):
    """The event's data does not fit the JSON Schema of its type."""


class NoHandler(PermanentError):
    """No handler is declared for this event type."""


class MalformedEvent(PermanentError):
    """The payload is not a readable event: broken JSON, or broken CloudEvents attributes."""


class PayloadTooLarge(PermanentError):
    """The payload is larger, deeper or has more keys than we agree to read."""


class UnusableRecord(PermanentError):
    """The handler returned something that cannot be stored as a JSON object."""


class RecordTooLarge(UnusableRecord):
    """The handler returned more than we agree to keep."""


class SetupError(Exception):
    """The installation is wrong, not an event: the start must stop with this sentence."""


class HandlerSetupError(SetupError):
    """A module of DLQ_HANDLERS, a handler's schema or one of its lookups is not usable."""


class ReportSetupError(SetupError):
    """A module of DLQ_REPORTS or a report's declaration is not usable."""
