"""One process that runs handlers, as its parent sees it."""

import contextlib
import os
import re
import socket
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.processing.texts import sanitise_text

from . import deaths
from .channel import READ_BYTES, Frame, Inbox, ProcessLimits

SEND_SECONDS = 30.0
NEVER = float("inf")
TRACE_BYTES = 64 * 1024
_MACHINERY = ("/dlqconsole/processing/", "<frozen ")
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$')


def open_notes() -> int:
    """Open a file that nobody sees, into which a process writes where it was when it died."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("dlqconsole-notes")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


@dataclass(slots=True, eq=False)
class Process:
    """``key`` is of the ``call`` that it runs, None while it has none; ``pid`` is 0 until it was made.

    ``act_at``: when (by time.monotonic()) to do something about it, and ``step`` how often that was done.
    """

    number: int
    channel: socket.socket
    notes: int
    pid: int = 0
    key: Any = None
    call: bytes = b""
    seconds: float = 0.0
    begun_at: float = 0.0
    act_at: float = NEVER
    step: int = 0
    silent: bool = False
    greedy: bool = False
    resident_at_first: int = 0
    _inbox: Inbox = field(default_factory=Inbox)

    def send(self, frame: bytes) -> None:
        """Give it a call. Raises OSError when it has ended, or does not read."""
        length = self.channel.send(frame, socket.MSG_DONTWAIT)
        if length < len(frame):
            self.channel.settimeout(SEND_SECONDS)
            self.channel.sendall(memoryview(frame)[length:])
            self.channel.settimeout(None)

    def answer(self) -> Frame | None:
        """Its answer, if it is complete now; ``silent`` is set when none can come any more."""
        while not self.silent:
            try:
                data = self.channel.recv(READ_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return None
            except OSError:
                data = b""
            self.silent = not data
            for frame in self._inbox.frames(data):
                return frame
        return None

    def cause_of_end(self, status: int, limits: ProcessLimits) -> deaths.Death:
        """Return the death that its end is; ``status`` is ``waitpid``'s."""
        if self.greedy:
            return deaths.out_of_memory(limits.memory_bytes, self._trace())
        if self.step and self.silent and time.monotonic() - self.begun_at < self.seconds:
            return deaths.CHANNEL_CLOSED
        if self.step:
            return deaths.hung(self.seconds, limits.grace_seconds, self._trace())
        return deaths.ended(status, self._trace())

    def _trace(self) -> str:
        """Return the place where it died, as far as it could say."""
        try:
            return as_python_trace(os.pread(self.notes, TRACE_BYTES, 0).decode("utf-8", "replace"))
        except OSError:
            return ""

    def close(self) -> None:
        """Close the connection: nothing more is heard of it."""
        self.channel.close()
        with contextlib.suppress(OSError):
            os.close(self.notes)


def as_python_trace(text: str) -> str:
    """Put faulthandler's words for the thread that died into those of a Python traceback.

    The most recent frame stands last, and our own are left out; empty where no other is there.
    """
    frames: list[str] = []
    for line in text.partition("(most recent call first):\n")[2].splitlines():
        if not (match := _FRAME.match(line)):
            break
        if not any(part in match["file"] for part in _MACHINERY):
            frames.append(f'  File "{match["file"]}", line {match["line"]}, in {match["name"]}\n')
    return sanitise_text("Traceback (most recent call last):\n" + "".join(frames[::-1])) if frames else ""
