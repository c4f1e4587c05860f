"""Process events: what a user's module of handlers needs, and what runs it.

from dlqconsole.processing import BusinessError, handler, table
"""

from dlqconsole.processing.strict_json import Decoded

from .backoff import delay
from .categories import RETRIED_BY_MACHINE, category_of
from .errors import (
    BusinessError,
    DependencyError,
    HandlerError,
    HandlerSetupError,
    MalformedEvent,
    MissingData,
    NoHandler,
    PayloadTooLarge,
    PermanentError,
    ReportSetupError,
    SchemaViolation,
    SetupError,
    TransientError,
    UnusableRecord,
)
from .events import Event
from .handlers import Registry, handler, load_handlers
from .lookups import Table, table
from .outcomes import Failed, Outcome, Succeeded, attempt, attempt_payload
from .payloads import decode
from .periods import periodic
from .reports import DailyReport, load_reports, report
from .texts import sanitise_text

__all__ = [
    "RETRIED_BY_MACHINE",
    "BusinessError",
    "DailyReport",
    "Decoded",
    "DependencyError",
    "Event",
    "Failed",
    "HandlerError",
    "HandlerSetupError",
    "MalformedEvent",
    "MissingData",
    "NoHandler",
    "Outcome",
    "PayloadTooLarge",
    "PermanentError",
    "Registry",
    "ReportSetupError",
    "SchemaViolation",
    "SetupError",
    "Succeeded",
    "Table",
    "TransientError",
    "UnusableRecord",
    "attempt",
    "attempt_payload",
    "category_of",
    "decode",
    "delay",
    "handler",
    "load_handlers",
    "load_reports",
    "periodic",
    "report",
    "sanitise_text",
    "table",
]
