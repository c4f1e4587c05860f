"""Running a handler on a claimed event, within its limits, wherever the claim came from."""

from .events import (
    HandlerResult,
    Identity,
    StoredEvent,
    Unhandled,
    event_type_of,
    identify,
)
from .in_process import handle_in_time, longest_seconds, registry
from .isolation import (
    begin,
    begin_all,
    end_processes,
    handle,
    handle_all,
    is_isolated,
    isolate,
    isolated,
    process_limits,
    processes,
    result_of,
)

__all__ = [
    "HandlerResult",
    "Identity",
    "StoredEvent",
    "Unhandled",
    "begin",
    "begin_all",
    "end_processes",
    "event_type_of",
    "handle",
    "handle_all",
    "handle_in_time",
    "identify",
    "is_isolated",
    "isolate",
    "isolated",
    "longest_seconds",
    "process_limits",
    "processes",
    "registry",
    "result_of",
]
