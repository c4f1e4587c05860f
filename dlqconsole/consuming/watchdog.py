"""Deadlines of handlers that run in their consumer's own process, for the parent that can end it."""

import mmap
import time
from dataclasses import dataclass
from struct import Struct
from types import TracebackType

from dlqconsole.core import handling

_MOMENT = Struct("=d")


class Deadlines:
    """The latest end of the handler in each of ``size`` processes, in memory that a fork shares."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, size * _MOMENT.size)

    def watch(self, number: int) -> "Watch":
        """Return the watch of the process of this number, in which nothing runs yet."""
        watch = Watch(self._memory, number * _MOMENT.size)
        watch.end()
        return watch

    def overdue(self, number: int) -> bool:
        """Tell whether the handler there should have ended."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return 0.0 < moment < time.monotonic()

    def runs(self, number: int) -> bool:
        """Tell whether a handler runs there, or its process has ended in one."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return moment > 0.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A block in which a handler runs. It sets the deadline."""

    memory: mmap.mmap
    place: int

    def __enter__(self) -> None:
        _MOMENT.pack_into(self.memory, self.place, time.monotonic() + handling.longest_seconds())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, Exception):  # else the process ends, by its handler's will
            self.end()

    def end(self) -> None:
        """Note that nothing runs any more."""
        _MOMENT.pack_into(self.memory, self.place, 0.0)
