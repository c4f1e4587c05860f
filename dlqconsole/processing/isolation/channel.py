"""The words between a parent, its template and the processes that run handlers: frames on a socket.

A frame is a length, a kind, a number, and a pickled value.
"""

import pickle
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

# A command to the template: which, the number of a process, a signal. With FORK go two descriptors: its
# channel, and its notes.
COMMAND = Struct("=cII")
FORK, KILL = b"F", b"K"

# Kinds of the template's frames: READY (how many threads it has), FAILED (why), FORKED (number, pid),
# ENDED (number, what waitpid said).
READY, FAILED, FORKED, ENDED = range(4)

# Kinds of a child's answers, each with the number of its call; LAST is added where its process ends with it.
# DOUBTFUL: it, or another that ran beside it, has used up what they share. RETURNED (numbers): not begun.
ANSWERED, DIED, DOUBTFUL, RETURNED, LAST = 1, 2, 3, 4, 8

READ_BYTES = 1 << 17
_HEADER = Struct("=IBd")
# Our frames are shorter, and their kinds smaller. Text, read as a header, is longer or a larger kind.
_TOO_LONG, _LARGEST_KIND = 1 << 29, 15

type Frame = tuple[int, float, memoryview]


# What is sent of a call: its seconds, the moment after which it is not begun, and its argument.
type CallBody = tuple[float, float, Any]

# what a process may need to start
START_SECONDS = 120.0
LONGEST_GRACE = 5.0


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """``memory_bytes``: what a process may grow by in all; 0: no limit.

    It is replaced once it has grown by half of that since its first call. ``grace_seconds`` is what a call
    may take after its time, before its process is killed. ``threads``: how many calls it runs at once, and
    ``tasks``: how many of those that return a coroutine. ``together``: the longest list of
    those that return a Joint.
    """

    memory_bytes: int = 0
    grace_seconds: float = LONGEST_GRACE
    threads: int = 1
    tasks: int = 1
    together: int = 1

    @property
    def slots(self) -> int:
        """The most calls that run at once: first those in threads, then tasks, then a list."""
        return self.threads + self.tasks + self.together


def grace_of(seconds: float) -> float:
    """Return the grace of calls that may take ``seconds``: as long again, and never more than 5 s."""
    return min(LONGEST_GRACE, seconds)


@dataclass(frozen=True, slots=True)
class Setup:
    """The code that the processes run: ``package.module:function`` names.

    ``prepare`` is called once, before any process is made. ``late``: each process imports for itself.
    ``environment`` is added to that of the processes, and modules are looked for in ``folders`` first.
    """

    entry: str
    prepare: str
    limits: ProcessLimits
    late: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


def pickle_body(value: object) -> bytes:
    """The body of a frame. Raises what pickling raises."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def frame_bytes(kind: int, number: float, body: bytes) -> bytes:
    """The bytes of one frame."""
    return _HEADER.pack(len(body), kind, number) + body


def unpickle_body(body: memoryview) -> Any:
    """The value of a frame."""
    return pickle.loads(body)  # noqa: S301  (from a process that we have started)


class Inbox:
    """Puts frames together from what a socket gives."""

    def __init__(self) -> None:
        self._bytes = b""

    def frames(self, data: bytes) -> list[Frame]:
        """The frames that are complete with ``data``. Raises ValueError where they are not ours."""
        data = self._bytes + data if self._bytes else data
        view, at = memoryview(data), 0
        complete: list[Frame] = []
        while len(view) - at >= _HEADER.size:
            length, kind, number = _HEADER.unpack_from(view, at)
            if length >= _TOO_LONG or kind > _LARGEST_KIND:
                raise ValueError("this is no frame of ours")
            end = at + _HEADER.size + length
            if end > len(view):
                break
            complete.append((kind, number, view[end - length : end]))
            at = end
        self._bytes = data[at:]
        return complete


def receive(channel: socket.socket, inbox: Inbox) -> list[Frame]:
    """Wait for the next frames; none when the peer has closed."""
    while data := channel.recv(READ_BYTES):
        if frames := inbox.frames(data):
            return frames
    return []
