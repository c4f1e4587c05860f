"""Running a handler on a claimed event, within its limits, wherever the claim came from."""

from .events import (
    HandlerResult,
    Identity,
    NotRehearsed,
    StoredEvent,
    Unhandled,
    Writes,
    event_type_of,
    identify,
)
from .in_process import longest_seconds, registry
from .isolation import begin, end_processes, handle, is_isolated, isolate, isolated, processes, result_of

__all__ = [
    "HandlerResult",
    "Identity",
    "NotRehearsed",
    "StoredEvent",
    "Unhandled",
    "Writes",
    "begin",
    "end_processes",
    "event_type_of",
    "handle",
    "identify",
    "is_isolated",
    "isolate",
    "isolated",
    "longest_seconds",
    "processes",
    "registry",
    "result_of",
]
