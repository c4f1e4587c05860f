"""Start our programs as real processes, without the half second of imports that each start costs.

``Popen`` is that of subprocess, and what it starts is a child of ours as ever: a process with an environment,
settings and connections of its own, to be waited for and killed. Only its interpreter is no new one, but is
forked from one that has imported the packages (tests/fork_server.py), and for our Django programs from one
that has set up Django as well (tests/prepared.py). Where that would not be the same, for other programs and
for options of Python's own, it is a new one.

What the start itself is to show (its imports, its first words) is tested with subprocess.
"""

import atexit
import ctypes
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests import prepared

PR_SET_CHILD_SUBREAPER = 36
CHECKOUT = Path(__file__).parents[1]
# What an interpreter reads when it starts: a forked one has read it already.
OF_PYTHON = ("PYTHON", "LC_", "LANG", "LD_", "HOME")
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


class ForkServer:
    """The process that forks, started when it is first needed; it ends with us."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None)
        self._lock = threading.Lock()
        self._environment = of_python(os.environ)
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(theirs.fileno()), str(os.getpid())],
                cwd=CHECKOUT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        # to a second server, and what it has read; made at its first use
        self._prepared: socket.socket | None = None
        self._read: dict[str, str | None] = {}
        atexit.register(self.close)

    def can(self, asked: dict[str, Any]) -> bool:
        """Whether this is a program or module for a Python that is set up as the server's is."""
        python, program, *_ = asked["args"]
        return (
            python == sys.executable
            and (program == "-m" or program.endswith(".py"))
            and of_python(asked["env"]) == self._environment
            and not asked["preexec_fn"]
            and not asked["pass_fds"]
        )

    def start(self, asked: dict[str, Any]) -> int:
        """The id of a new process, which is our child."""
        request = {
            "arguments": asked["args"][1:],
            "environment": asked["env"],
            "folder": os.fspath(asked["cwd"] or os.getcwd()),
            "own_session": asked["start_new_session"],
            "hears_interrupts": signal.getsignal(signal.SIGINT) != signal.SIG_IGN,
        }
        ends = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        ours = [place if end == -1 else end for place, end in enumerate(ends)]
        with self._lock, self._adopting():
            channel = self._channel_for(request)
            socket.send_fds(channel, [json.dumps(request).encode()], ours)
            return int(channel.recv(32))

    def _channel_for(self, request: dict[str, Any]) -> socket.socket:
        """To the server that has done most of what this program begins with."""
        if not prepared.is_for(request["arguments"], request["folder"]):
            return self._channel
        if self._prepared is None:
            self._prepared = self._prepare(dict(os.environ))
        said = {name: request["environment"].get(name) for name in prepared.READ}
        return self._prepared if said == self._read else self._channel

    def _prepare(self, environment: dict[str, str]) -> socket.socket:
        """Have the second server made. Its settings are ours, which are good ones."""
        self._read = {name: environment.get(name) for name in prepared.READ}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            asked = {"arguments": None, "environment": environment}
            socket.send_fds(self._channel, [json.dumps(asked).encode()], [theirs.fileno()])
        return ours

    @contextmanager
    def _adopting(self) -> Iterator[None]:
        """Whose parent ends becomes our child, and not that of process 1."""
        self._libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            yield
        finally:
            self._libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)

    def close(self) -> None:
        if self._prepared is not None:
            self._prepared.close()
        self._channel.close()
        self.process.wait()


def server_of(process: int) -> ForkServer:
    """The fork server of this process: one that was forked from it gets its own.

    Another one, too, when a test has changed what interpreters read: Spark sets PYTHONPATH for its workers.
    """
    return _server(process, tuple(sorted(of_python(os.environ).items())))


@cache
def _server(_process: int, _environment: tuple[tuple[str, str], ...]) -> ForkServer:
    return ForkServer()


def of_python(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(OF_PYTHON)}


class Popen(subprocess.Popen):
    """subprocess.Popen, but for how the process comes to be (on Linux; elsewhere nobody can be adopted)."""

    def _execute_child(self, *given: Any) -> None:
        asked = inspect.signature(super()._execute_child).bind(*given).arguments
        asked["env"] = dict(os.environ if asked["env"] is None else asked["env"])
        if sys.platform != "linux" or not (server := server_of(os.getpid())).can(asked):
            return super()._execute_child(*given)
        self.pid = server.start(asked)
        self._child_created = True
        self._close_pipe_fds(*(asked[name] for name in PIPES))

    def __exit__(self, error: type[BaseException] | None, *more: Any) -> None:
        """Wait for its end, but not where the test has failed: it might never come."""
        if error is not None:
            self.kill()
        super().__exit__(error, *more)
