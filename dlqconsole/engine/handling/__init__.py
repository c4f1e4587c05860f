"""Runs a handler on what was claimed, within its limits, wherever the claim came from."""

from .events import Handled, Identity, Stored, Unhandled, event_type_of, identify
from .here import longest_seconds, registry
from .isolation import begin, end_processes, handle, handled, is_isolated, isolate, isolated, processes

__all__ = [
    "Handled",
    "Identity",
    "Stored",
    "Unhandled",
    "begin",
    "end_processes",
    "event_type_of",
    "handle",
    "handled",
    "identify",
    "is_isolated",
    "isolate",
    "isolated",
    "longest_seconds",
    "processes",
    "registry",
]
