"""One process that runs handlers, as its parent sees it."""

import contextlib
import os
import re
import socket
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.processing.texts import sanitise_text

from . import deaths
from .board import NOTES_BYTES, Board, board_bytes
from .channel import READ_BYTES, Frame, Inbox, ProcessLimits, frame_bytes, pickle_body

NEVER = float("inf")
_MACHINERY = ("/dlqconsole/processing/", "<frozen ")
_LIBRARY = re.compile(r"^<string>$|/python3\.\d+/(threading|queue|asyncio/|concurrent/|selectors)")
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$')
_STACK = "(most recent call first):\n"


def open_notes(slots: int) -> int:
    """Open a file that nobody sees, into which a process writes where it was when it died; and its board."""
    if hasattr(os, "memfd_create"):
        notes = os.memfd_create("dlqconsole-notes")
    else:
        with tempfile.TemporaryFile() as file:
            notes = os.dup(file.fileno())
    os.ftruncate(notes, NOTES_BYTES + board_bytes(slots))
    return notes


@dataclass(slots=True, eq=False)
class Call:
    """One call. ``seconds`` it may take, and it is not begun after ``begin_by`` (by time.monotonic()).

    ``comes_back``: its caller has it again when its process does not begin it; else another process has it.
    """

    key: Any
    argument: Any
    seconds: float
    begin_by: float = NEVER
    comes_back: bool = False

    def frame(self, number: int) -> bytes:
        """The bytes to send. Raises what pickling the argument raises."""
        return frame_bytes(0, number, pickle_body((self.seconds, self.begin_by, self.argument)))


@dataclass(slots=True, eq=False)
class Process:
    """``calls``: what it was given and has not answered, by number. ``pid`` is 0 until it was made.

    ``act_at``: when (by time.monotonic()) to do something about it, and ``step`` how often that was done.
    ``retires``: something in it takes too long, and it is given nothing more; ``overdue``: what did, when it
    was ended for that.
    """

    number: int
    channel: socket.socket
    notes: int
    limits: ProcessLimits
    pid: int = 0
    calls: dict[int, Call] = field(default_factory=dict)
    news_at: float = field(default_factory=time.monotonic)
    act_at: float = NEVER
    step: int = 0
    silent: bool = False
    greedy: bool = False
    retires: bool = False
    overdue: dict[int, Call] = field(default_factory=dict)
    resident_at_first: int = 0
    board: Board = field(init=False)
    _last_number: int = 0
    _unsent: bytes = b""
    # answers that were taken from the board, and come once more by the channel
    _seen: set[int] = field(default_factory=set)
    _inbox: Inbox = field(default_factory=Inbox)

    def __post_init__(self) -> None:
        self.board = Board(self.notes, self.limits.slots)

    def give(self, calls: Sequence[Call]) -> None:
        """Send it calls, in one write. Raises OSError when it has ended, and what pickling raises."""
        numbered = dict(enumerate(calls, self._last_number + 1))
        self._unsent += b"".join(call.frame(number) for number, call in numbered.items())
        self.send()
        self._last_number += len(calls)
        if not self.calls:
            self.news_at = time.monotonic()
        self.calls |= numbered

    def recall(self) -> None:
        """Let it give back what it has not begun."""
        self.board.recall(self._last_number)

    def send(self) -> None:
        """Send what it takes now. Raises OSError when it has ended."""
        with contextlib.suppress(BlockingIOError):
            while self._unsent:
                self._unsent = self._unsent[self.channel.send(self._unsent, socket.MSG_DONTWAIT) :]

    @property
    def takes_more(self) -> bool:
        """Tell whether something is left to be sent."""
        return bool(self._unsent)

    def answers(self, *, to_the_end: bool = False) -> list[Frame]:
        """Some of its answers, or all that are here now; ``silent`` is set when none can come any more."""
        frames: list[Frame] = []
        while not self.silent:
            try:
                data = self.channel.recv(READ_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self.silent = not data
            frames += self._unseen(self._inbox.frames(data))
            if not to_the_end:
                break
        return frames

    def waiting_answers(self) -> list[Frame]:
        """The answers that it has not sent yet."""
        frames = [frame for frame in Inbox().frames(self.board.peek()) if int(frame[1]) in self.calls]
        self._seen.update(int(frame[1]) for frame in frames)
        return frames

    def _unseen(self, frames: Iterable[Frame]) -> list[Frame]:
        if not self._seen:
            return list(frames)
        return [frame for frame in frames if not self._was_seen(int(frame[1]))]

    def _was_seen(self, number: int) -> bool:
        if number in self._seen:
            self._seen.remove(number)
            return True
        return False

    def begun(self) -> dict[int, tuple[int, float]]:
        """Return what runs in it: by number, the slot and when it began."""
        return {number: begun for number, begun in self.board.begun().items() if number in self.calls}

    def deadlines(self) -> dict[int, float]:
        """Return until when each call that runs must have ended, by number."""
        grace = self.limits.grace_seconds
        return {
            number: moment + self.calls[number].seconds + grace
            for number, (_slot, moment) in self.begun().items()
        }

    def patience(self) -> float:
        """Return until when it must begin one of its calls, while none runs."""
        return self.news_at + max(call.seconds for call in self.calls.values()) + self.limits.grace_seconds

    def cause_of_end(self, status: int) -> deaths.Death:
        """Return the death that its end is; ``status`` is ``waitpid``'s."""
        if self.greedy:
            return deaths.out_of_memory(self.limits.memory_bytes, self._trace())
        if self.overdue:
            seconds = max(call.seconds for call in self.overdue.values())
            return deaths.hung(seconds, self.limits.grace_seconds, self._trace())
        if self.step and self.silent:
            return deaths.CHANNEL_CLOSED
        return deaths.ended(status, self._trace())

    def _trace(self) -> str:
        """Return the place where it died, as far as it could say."""
        try:
            notes = os.pread(self.notes, NOTES_BYTES, 0).rstrip(b"\0")
            return as_python_trace(notes.decode("utf-8", "replace"))
        except OSError:
            return ""

    def close(self) -> None:
        """Close the connection: nothing more is heard of it."""
        self.channel.close()
        self.board.close()
        with contextlib.suppress(OSError):
            os.close(self.notes)


def as_python_trace(text: str) -> str:
    """Put faulthandler's words for the thread that died into those of a Python traceback.

    The most recent frame stands last, and our own are left out; empty where no other is there. Where the
    thread that died runs nothing of a handler's, it is the first one that does.
    """
    stacks = sorted(text.split("\n\n"), key=lambda stack: not stack.lstrip().startswith("Current thread"))
    for stack in stacks:
        if frames := _foreign_frames(stack.partition(_STACK)[2]):
            return sanitise_text("Traceback (most recent call last):\n" + "".join(frames[::-1]))
    return ""


def _foreign_frames(stack: str) -> list[str]:
    """Return the frames of a stack that is not only ours or the library's, without ours."""
    frames, is_foreign = [], False
    for line in stack.splitlines():
        if not (match := _FRAME.match(line)):
            break
        if not any(part in match["file"] for part in _MACHINERY):
            is_foreign = is_foreign or not _LIBRARY.search(match["file"])
            frames.append(f'  File "{match["file"]}", line {match["line"]}, in {match["name"]}\n')
    return frames if is_foreign else []
