"""Handlers in processes of their own: whatever one does to its process is the failure of its own event.

``HandlerProcesses`` gives calls to processes and says what came of them. Nothing here knows of handlers: a
call is an importable function and an argument that can be pickled.
"""

from .channel import ProcessLimits, grace_of
from .deaths import Death
from .gathering import Halt, Joint
from .process import Call
from .processes import MOST, CallResult, HandlerProcesses

__all__ = [
    "MOST",
    "Call",
    "CallResult",
    "Death",
    "Halt",
    "HandlerProcesses",
    "Joint",
    "ProcessLimits",
    "grace_of",
]
