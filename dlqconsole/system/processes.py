"""Child processes that never outlive us.

Each child leads a session of its own. So a Ctrl-C in the terminal reaches only the supervisor, which stops
things in the right order; and whatever a child starts (Celery's pool, Spark's Java and Python workers) can be
found and ended by its session, even where it moved to another process group.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

PR_SET_PDEATHSIG = 1
# Looked up before any fork: a child between fork and exec should load nothing.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

Child = subprocess.Popen[bytes]


def spawn(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    output: int | IO[Any] | None,
    errors: int | IO[Any] = subprocess.STDOUT,
    death_signal: signal.Signals = signal.SIGTERM,
    user: int | None = None,
    before_exec: Callable[[], None] | None = None,
    cwd: Path | None = None,
    own_session: bool = True,
) -> Child:
    """Start a child; on Linux it gets death_signal when we die, however we die."""
    parent = os.getpid()

    def prepare() -> None:
        if before_exec is not None:
            before_exec()
        die_with(parent, death_signal)

    return subprocess.Popen(
        command,
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=own_session,
        user=user,
        group=None if user is None else user_group(user),
        extra_groups=None if user is None else [],
        preexec_fn=prepare,
    )


def user_group(user: int) -> int:
    """The main group of a user id."""
    return pwd.getpwuid(user).pw_gid


def die_with(parent: int, death_signal: signal.Signals) -> None:
    """Ask the kernel to signal this process when its parent ends (Linux; elsewhere nothing does)."""
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)


def wait_for(is_so: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is so, for at most some seconds; tell whether it came true."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def ask_to_stop(child: Child, with_signal: signal.Signals, *, whole_group: bool = False) -> None:
    """Send a child its stop signal, or all of its process group; one that has ended is left in peace."""
    if child.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if whole_group:
            os.killpg(child.pid, with_signal)
        else:
            child.send_signal(with_signal)


def end_session(leader: int) -> None:
    """Kill what is left of the session that a child led, its process group at the very least."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    for pid in session_members(leader):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def session_members(leader: int) -> list[int]:
    """The living processes of a session, zombies aside (Linux; elsewhere unknown, hence none)."""
    return [pid for pid in all_processes() if _session_of(pid) == leader]


def processes_in(folder: Path) -> list[int]:
    """The processes whose working directory is this folder (Linux; elsewhere unknown, hence none)."""
    return [pid for pid in all_processes() if _working_directory(pid) == str(folder.resolve())]


def all_processes() -> list[int]:
    """The ids of all processes that /proc shows."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return []


def _working_directory(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def _session_of(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name, in brackets, may hold anything; behind it: state, parent, group, session.
    state, _, _, session = stat.rpartition(")")[2].split()[:4]
    return None if state == "Z" else int(session)


class Stop:
    """A stop that is asked for once, and never taken back.

    Not a ``threading.Event``: its ``set`` takes a lock, and a handler that runs while the same thread holds
    it, in ``wait``, would wait for itself. A SimpleQueue may be put to from anywhere.
    """

    def __init__(self) -> None:
        self.asked = False
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()

    def ask(self, *_signal: object) -> None:
        """Ask for it; as it stands, a handler for ``signal.signal``."""
        self.asked = True
        self._wake.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it is asked for; tell whether it is. For one thread."""
        if not self.asked:
            try:
                self._wake.get(timeout=max(seconds, 0.0))
            except queue.Empty:
                return self.asked
        return True
