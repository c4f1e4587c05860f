"""Watches over handlers that run in their consumer's own process, for whoever can end that process."""

import mmap
import time
from dataclasses import dataclass
from struct import Struct
from types import TracebackType

from dlqconsole.engine import handling

_MOMENT = Struct("=d")


class Deadlines:
    """When what runs in each of ``size`` processes must have ended; in memory that a fork shares."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, size * _MOMENT.size)

    def watch(self, number: int) -> "Watch":
        """For the process of this number, in which nothing runs yet."""
        watch = Watch(self._memory, number * _MOMENT.size)
        watch.end()
        return watch

    def overdue(self, number: int) -> bool:
        """Whether what runs there should have ended."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return 0.0 < moment < time.monotonic()

    def runs(self, number: int) -> bool:
        """Whether a handler runs there, or its process has ended in one."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return moment > 0.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A block in which a handler runs: says until when."""

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
        """Nothing runs any more."""
        _MOMENT.pack_into(self.memory, self.place, 0.0)
