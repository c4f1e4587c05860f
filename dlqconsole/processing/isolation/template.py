"""The template: it imports the handlers once, and is then forked for each process that is wanted.

It has one thread, and nothing open but its parent's socket: a fork of it is cheap and safe. It ends, and all
that it has started, when its parent has gone.
"""

import contextlib
import ctypes
import gc
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pkgutil import resolve_name
from types import FrameType
from typing import Any, Never

from dlqconsole.processing.errors import SetupError

from . import child
from .channel import (
    COMMAND,
    ENDED,
    FAILED,
    FORK,
    FORKED,
    KILL,
    READY,
    Inbox,
    Setup,
    frame_bytes,
    pickle_body,
    receive,
    unpickle_body,
)
from .output import Outlet, Tap
from .usage import count_threads

LAST_SECONDS = 1.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None)


def main(descriptor: int) -> None:
    """Import what the parent says, and obey it until it closes the socket."""
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # a signal to the parent goes to all its processes: the parent then says when ours end
        signal.signal(number, _leave_to_the_parent)
    orders = receive(control, Inbox())
    if not orders:
        return
    work: Setup = unpickle_body(orders[0][2])
    if (entry := _prepare_entry(control, work)) is not None:
        Template(control, work, entry).run()


class Template:
    """Forks, kills and buries, as its parent says."""

    def __init__(self, control: socket.socket, work: Setup, entry: Callable[[Any], Any]) -> None:
        self._control, self._work, self._entry = control, work, entry
        self._pids: dict[int, int] = {}
        self._taps: dict[int, Tap] = {}
        self._poll = select.poll()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)

    def run(self) -> None:
        """Obey until the parent has gone."""
        _control_process(_PR_SET_CHILD_SUBREAPER, 1)  # children of handlers are reaped here, too
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _leave_to_the_parent)
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)
        try:
            while True:
                for descriptor, _event in self._poll.poll():
                    if descriptor in self._taps:
                        self._pass_on(descriptor)
                    elif descriptor == self._woken.fileno():
                        self._reap()
                    elif not self._obey():
                        return
        finally:
            for pid in self._pids.values():
                _kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            self._pass_on_the_rest()

    def _obey(self) -> bool:
        """Obey one command; False when the parent has gone."""
        try:
            data, descriptors, _flags, _address = socket.recv_fds(self._control, COMMAND.size, 2)
        except ConnectionError:
            return False
        if len(data) < COMMAND.size:
            return False
        command, number, what = COMMAND.unpack(data)
        if command == FORK:
            self._fork(number, *descriptors)
        elif command == KILL and number in self._pids:
            _kill(self._pids[number], what)
        return True

    def _fork(self, number: int, channel: int, notes: int) -> None:
        template, tap = os.getpid(), Tap()
        pid = os.fork()
        if pid == 0:
            self._become_child(template, channel, notes, tap)
        tap.close_writers()
        for pipe in tap.pipes:
            self._taps[pipe] = tap
            self._poll.register(pipe, select.POLLIN)
        os.close(channel)
        os.close(notes)
        self._pids[number] = pid
        self._say(FORKED, (number, pid))

    def _pass_on(self, pipe: int) -> None:
        if not self._taps[pipe].pass_on(pipe):
            self._poll.unregister(pipe)
            del self._taps[pipe]

    def _pass_on_the_rest(self) -> None:
        """Pass on their last output, but not that of something they left behind."""
        until = time.monotonic() + LAST_SECONDS
        while time.monotonic() < until:
            pipes = [pipe for pipe, _event in self._poll.poll(0) if pipe in self._taps]
            if not pipes:
                break
            for pipe in pipes:
                self._pass_on(pipe)

    def _become_child(self, template: int, channel: int, notes: int, tap: Tap) -> Never:
        status = 70
        try:
            os.setsid()
            _die_with(template)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (self._control, self._woken, self._waker):
                end.close()
            outlet = Outlet(tap.page, tap.writing)
            for pipe in {*self._taps, *tap.pipes, *tap.writing.values()}:
                os.close(pipe)
            for descriptor in (channel, notes):
                os.set_inheritable(descriptor, False)
            entry = _import_entry(self._work) if self._work.late else self._entry
            child.serve(socket.socket(fileno=channel), notes, entry, self._work.limits, outlet)
            status = 0
        finally:
            os._exit(status)

    def _reap(self) -> None:
        """Say who has ended, once whatever it has started itself is ended as well."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        with contextlib.suppress(ChildProcessError):
            while child_info := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                numbers = [number for number, pid in self._pids.items() if pid == child_info.si_pid]
                if numbers:  # else an orphan of a handler's
                    _kill(child_info.si_pid, signal.SIGKILL)
                _pid, status = os.waitpid(child_info.si_pid, 0)
                for number in numbers:
                    del self._pids[number]
                    self._say(ENDED, (number, status))

    def _say(self, kind: int, value: object) -> None:
        _say(self._control, kind, value)


def _prepare_entry(control: socket.socket, work: Setup) -> Callable[[Any], Any] | None:
    """The function that is to be called, imported; None, and the parent told, where that fails."""
    _die_with(os.getppid())  # whatever is imported
    try:
        entry = _import_entry(work) if not work.late else _refuse_call
    except BaseException as error:
        problem = str(error) if isinstance(error, SetupError) else f"{type(error).__name__}: {error}"
        _say(control, FAILED, problem)
        return None
    # from here on the socket tells: this signal would also come when only the parent's thread ends
    _control_process(_PR_SET_PDEATHSIG, 0)
    gc.collect()
    gc.freeze()  # a collection in a child would copy the pages that it looks at
    _say(control, READY, count_threads())
    return entry


def _import_entry(work: Setup) -> Callable[[Any], Any]:
    os.environ.update(work.environment)
    # our own package is there already: a folder that has another of that name does not take its place
    sys.path[:0] = [folder for folder in work.folders if folder not in sys.path[: len(work.folders)]]
    if work.prepare:
        resolve_name(work.prepare)()
    entry: Callable[[Any], Any] = resolve_name(work.entry)
    return entry


def _refuse_call(argument: Any) -> Never:
    raise AssertionError("each process imports for itself")


def _die_with(parent: int) -> None:
    _control_process(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _control_process(what: int, value: int) -> None:
    with contextlib.suppress(AttributeError):  # elsewhere than on Linux the template alone sees to all this
        _LIBC.prctl(what, value, 0, 0, 0)


def _kill(pid: int, number: int) -> None:
    """The process and what it has started; SIGABRT only makes the process itself say where it is."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
        if number != signal.SIGABRT:
            os.killpg(pid, number)


def _say(control: socket.socket, kind: int, value: object) -> None:
    with contextlib.suppress(OSError):  # the parent has gone: the next look at the socket says so
        control.sendall(frame_bytes(kind, 0, pickle_body(value)))


def _leave_to_the_parent(signum: int, frame: FrameType | None) -> None:
    pass
