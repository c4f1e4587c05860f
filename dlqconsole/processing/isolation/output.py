"""The output of handlers, passed on up to a limit for each event; a line says how much of the rest was cut.

Its process writes into two pipes, which the template reads: whoever prints more fills no disk. Both see one
page of memory, in which the process says which event it handles.
"""

import contextlib
import fcntl
import mmap
import os
import struct
import sys
import termios
import time
from collections.abc import Mapping

LIMIT = 64 * 1024
READ_BYTES = 64 * 1024
STDOUT, STDERR = 1, 2
# bytes in a pipe that may be taken for the next event's
LITTLE = 4096
DRAIN_SECONDS, LOOK_SECONDS = 1.0, 0.0005
# a process sends it to have said what was cut of its last event
END = b"\0"
_PAGE = struct.Struct("=I?H")
_NAME_BYTES = 300

_current: "OutputPage | None" = None


def called(event_type: str, key: str) -> None:
    """Say which event is handled from here on: it may print as much as any, and is named in what is said."""
    if _current is not None:
        _current.begin(f"{event_type} {key}")


class OutputPage:
    """Memory that both sides see: the number of events, the last one's name, and whether it was cut."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)
        self._number = 0

    def begin(self, name: str = "") -> None:
        """Another event, which may print as much as any."""
        text = name.encode("utf-8", "replace")[:_NAME_BYTES]
        self._memory[_PAGE.size : _PAGE.size + len(text)] = text
        self._number = (self._number + 1) % 2**32
        _PAGE.pack_into(self._memory, 0, self._number, False, len(text))

    def now(self) -> tuple[int, str]:
        """The number of the event, and its name."""
        number, _loud, length = _PAGE.unpack_from(self._memory)
        return number, self._memory[_PAGE.size : _PAGE.size + length].decode("utf-8", "replace")

    @property
    def is_loud(self) -> bool:
        """Tell whether something of the event was cut."""
        return self._memory[4] != 0

    def set_loud(self) -> None:
        """Note that something was."""
        self._memory[4] = 1


class Outlet:
    """The process's side: its two streams, and its calls."""

    def __init__(self, page: OutputPage, pipes: Mapping[int, int]) -> None:
        global _current
        _current = self._page = page
        for number, pipe in pipes.items():
            os.dup2(pipe, number)
        self._waiting = bytearray(4)

    def begin(self) -> None:
        """Begin a call."""
        self._page.begin()

    def end(self, *, alone: bool = True) -> None:
        """End a call: what it printed is not to be taken for the next one's, if it ran ``alone``."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, ValueError, OSError):
                continue
        if not alone:
            return
        try:
            if self._unread() > LITTLE or self._page.is_loud:
                self._drain()
            if self._page.is_loud:
                self._page.begin()
                os.write(STDERR, END)
        except OSError:  # it has closed them
            return

    def _drain(self) -> None:
        until = time.monotonic() + DRAIN_SECONDS
        while self._unread() and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)

    def _unread(self) -> int:
        fcntl.ioctl(STDOUT, termios.FIONREAD, self._waiting)
        unread = int.from_bytes(self._waiting, sys.byteorder)
        fcntl.ioctl(STDERR, termios.FIONREAD, self._waiting)
        return unread + int.from_bytes(self._waiting, sys.byteorder)


class Tap:
    """The template's side: reads the pipes of one process, and passes on what may be."""

    def __init__(self) -> None:
        self.page = OutputPage()
        self._streams: dict[int, int] = {}
        self.writing: dict[int, int] = {}
        for number in (STDOUT, STDERR):
            reading, self.writing[number] = os.pipe()
            self._streams[reading] = number
        self._event, self._name = self.page.now()
        self._room, self._cut_bytes = LIMIT, 0
        self._in_a_line = False

    @property
    def pipes(self) -> list[int]:
        """The pipes that are still to be read."""
        return list(self._streams)

    def close_writers(self) -> None:
        """Close our ends of the pipes: the process has its own."""
        for pipe in self.writing.values():
            os.close(pipe)

    def pass_on(self, pipe: int) -> bool:
        """Read a pipe once; tell whether more may come of it."""
        event, name = self.page.now()
        data = os.read(pipe, READ_BYTES)
        if event != self._event or not data:
            self._say_cut()
            self._event, self._room = event, LIMIT
            data = data.removeprefix(END) or data
        self._name = name
        if not data:
            del self._streams[pipe]
            os.close(pipe)
            return False
        if data != END:
            self._pass_on(data, self._streams[pipe])
        return True

    def _pass_on(self, data: bytes, number: int) -> None:
        if part := data[: self._room]:
            _write(number, part)
            self._in_a_line = not part.endswith(b"\n")
        if len(data) > self._room:
            self._cut_bytes += len(data) - self._room
            self.page.set_loud()
        self._room = max(self._room - len(data), 0)

    def _say_cut(self) -> None:
        if self._cut_bytes:
            line = f"… {_size(self._cut_bytes)} more were cut: event {self._name}".rstrip() + "\n"
            _write(STDERR, ("\n" * self._in_a_line + line).encode())
            self._cut_bytes = 0


def _write(number: int, data: bytes) -> None:
    with contextlib.suppress(OSError):  # nobody reads it any more
        while data:
            data = data[os.write(number, data) :]


def _size(number: int) -> str:
    for unit, name in ((1_000_000, "MB"), (1_000, "kB")):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number} bytes"
