"""A template that is a fork of its parent: it has imported everything already, so that it costs nothing."""

import os
import signal
import socket
import stat
import subprocess
import time
from typing import Never

from . import template

_LOOK_SECONDS = 0.01


class ForkedTemplate:
    """A template, waited for as a ``subprocess.Popen`` is. It forks this process, which has one thread."""

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
                time.sleep(_LOOK_SECONDS)
        return self.returncode

    def kill(self) -> None:
        """End it at once."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


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
