"""Handlers in processes of their own: whatever one does to its process is the failure of its own event.

``HandlerProcesses`` gives calls to processes, one at a time to each, and says what came of them. Nothing here
knows what a handler is: a call is an importable function and an argument that can be pickled.
"""

from .channel import ProcessLimits, grace_of
from .deaths import Death
from .processes import CallResult, HandlerProcesses

__all__ = ["CallResult", "Death", "HandlerProcesses", "ProcessLimits", "grace_of"]
