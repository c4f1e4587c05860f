"""The parent's side of the template: start it, have processes made and killed, hear who has ended."""

import contextlib
import logging
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any, Never

from dlqconsole.processing.errors import SetupError

from . import template
from .channel import (
    COMMAND,
    FAILED,
    FORK,
    KILL,
    READ_BYTES,
    START_SECONDS,
    Inbox,
    Setup,
    frame_bytes,
    pickle_body,
    unpickle_body,
)
from .usage import count_threads

log = logging.getLogger(__name__)

END_SECONDS, LOOK_SECONDS = 5.0, 0.01


class ForkedTemplate:
    """A template that is a fork of this process, which has one thread: all is imported already.

    It is waited for as a ``subprocess.Popen`` is.
    """

    def __init__(self, control: socket.socket, ours: socket.socket) -> None:
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _become_template(control, ours)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired("the template", timeout or 0)
            else:
                time.sleep(LOOK_SECONDS)
        return self.returncode

    def kill(self) -> None:
        """End it at once."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


class TemplateEnded(Exception):
    """The template is no more, and none of the processes that it made."""


class Starter:
    """Runs a template. Raises SetupError where what it should import cannot be."""

    _process: subprocess.Popen[bytes] | ForkedTemplate

    def __init__(self, work: Setup, fork: bool = False) -> None:
        self._work = work
        self._inbox = Inbox()
        threads = self._start(fork and count_threads() == 1)
        if threads > 1:
            # a fork takes along one thread only, and the locks that the others held
            log.warning("the handlers' modules start threads: each process imports them for itself")
            self.close()
            self._work = replace(work, late=True)
            self._start(fork=False)

    def fileno(self) -> int:
        """Return the file number for poll: readable when there is news."""
        return self._control.fileno()

    def fork(self, number: int, channel: int, notes: int) -> None:
        """Have a process made that answers on ``channel``. Raises TemplateEnded."""
        try:
            socket.send_fds(self._control, [COMMAND.pack(FORK, number, 0)], [channel, notes])
        except OSError as error:
            raise TemplateEnded from error

    def kill(self, number: int, signal_number: int) -> None:
        """Send a signal to a process, and what it has started; nothing when it has ended."""
        with contextlib.suppress(OSError):  # the template has ended: the next news say so
            self._control.sendall(COMMAND.pack(KILL, number, signal_number))

    def news(self) -> list[tuple[int, Any]]:
        """Return the news, without waiting: FORKED and ENDED. Raises TemplateEnded."""
        try:
            data = self._control.recv(READ_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except OSError as error:
            raise TemplateEnded from error
        if not data:
            raise TemplateEnded
        return [(kind, unpickle_body(body)) for kind, _number, body in self._inbox.frames(data)]

    def close(self) -> None:
        """End the template, which ends its processes."""
        self._control.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Leave the template to the process that this one was forked from."""
        self._control.close()
        self._process.returncode = 0  # it is not ours to wait for

    def _start(self, fork: bool) -> int:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = ForkedTemplate(theirs, self._control) if fork else _spawn(theirs)
        self._control.sendall(frame_bytes(0, 0, pickle_body(self._work)))
        return self._wait_until_ready(time.monotonic() + START_SECONDS)

    def _wait_until_ready(self, deadline: float) -> int:
        try:
            kind, answer = self._first_word(deadline)
        except (TimeoutError, ConnectionError):
            self._process.kill()
            self.close()
            raise SetupError(f"the handlers' process did not start within {START_SECONDS:g} s") from None
        if kind == FAILED:
            self.close()
            raise SetupError(answer)
        self._control.settimeout(None)
        return int(answer)

    def _first_word(self, deadline: float) -> tuple[int, Any]:
        while True:
            self._control.settimeout(max(0.01, deadline - time.monotonic()))
            if not (data := self._control.recv(READ_BYTES)):
                return FAILED, "the handlers' process ended while it imported them"
            for kind, _number, body in self._inbox.frames(data):
                return kind, unpickle_body(body)


def _spawn(control: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", f"from {template.__name__} import main; main({control.fileno()})"],
        stdin=subprocess.DEVNULL,
        pass_fds=[control.fileno()],
        env=_environment(),
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """Modules are found there as they are found here."""
    folders = [os.path.abspath(folder or ".") for folder in sys.path]
    return os.environ | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(folders))}


def _become_template(control: socket.socket, ours: socket.socket) -> Never:
    try:
        os.setsid()
        ours.close()
        _forget_signals()
        _forget_files(control.fileno())
        template.main(control.detach())
    finally:
        os._exit(0)


def _forget_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def _forget_files(own_descriptor: int) -> None:
    """Sockets and pipes are the parent's. Their numbers stay taken: some object believes to own each."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    for name in os.listdir("/dev/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in (own_descriptor, nothing) and _leads_elsewhere(descriptor):
            os.dup2(nothing, descriptor, inheritable=False)


def _leads_elsewhere(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False  # the folder that was listed
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISCHR(mode))
