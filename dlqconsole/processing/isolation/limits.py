"""Limits of a process that runs handlers: its memory, and how long it is kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """``memory_bytes``: what a process may grow by in all; 0: no limit.

    A process is replaced after ``calls`` calls, or once it has grown by ``growth_bytes`` since its first call
    (0: never). ``grace_seconds`` is what a call may take after its time, before its process is killed, and
    ``start_seconds`` what a process may need to start.
    """

    memory_bytes: int = 0
    calls: int = 0
    growth_bytes: int = 0
    grace_seconds: float = 5.0
    start_seconds: float = 120.0
