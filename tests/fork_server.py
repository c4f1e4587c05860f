"""A process that has imported what our programs import, and forks itself into them.

``python -m tests.fork_server FD PARENT``; tests/starting.py starts it and asks it. It knows no setting, holds
no connection and has no thread: all that a program decides it decides itself, after the fork. So no module of
ours is imported here that reads the environment, and none of Django's that needs settings; it has neither.

For programs that set up Django it forks a second server, which has done that (tests/prepared.py).
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
import time
from typing import Any

from dlqconsole.system.processes import die_with
from tests import prepared
from tests.imported import IMPORTED

# of what is asked, in bytes
MOST = 1 << 20


def wait_for_a_start(channel: socket.socket, parent: int) -> dict[str, Any] | None:
    """Fork at each request. In the child: what it shall run. In the server, when nobody can ask: nothing."""
    # Ctrl-C ends whoever asks, and that ends us
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, MOST, 3)
        if not message:
            return None
        request = json.loads(message)
        if request["arguments"] is None:
            if _fork_a_server():
                channel.close()
                return _wait_prepared(request["environment"], descriptors[0], parent)
        elif _fork_for(parent):
            break
        for descriptor in descriptors:
            os.close(descriptor)
    if request["hears_interrupts"]:  # what is started where SIGINT is ignored ignores it, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _prepare(request, descriptors)
    finally:
        channel.send(str(os.getpid()).encode())
    return request


def _fork_a_server() -> bool:
    """Fork what ends with this process; whether this is it."""
    server = os.getpid()
    if os.fork():
        return False
    die_with(server, signal.SIGKILL)
    return True


def _wait_prepared(environment: dict[str, str], descriptor: int, parent: int) -> dict[str, Any] | None:
    """Be the second server: the same, on a channel of its own, once it has done more."""
    with socket.socket(fileno=descriptor) as channel:
        os.environ.update(environment)
        prepared.prepare()
        _share()
        request = wait_for_a_start(channel, parent)
    if request is not None:
        prepared.forget()
    return request


def _fork_for(parent: int) -> bool:
    """Fork a child of ``parent``, which adopts orphans just now; whether this is the child.

    Who can wait for it and is told of its end is a process's parent alone. So the child is made an orphan.
    """
    waits, goes = os.pipe()
    between = os.fork()
    if between:
        os.close(waits)
        os.waitpid(between, 0)
        os.close(goes)
        return False
    os.close(goes)
    if os.fork():
        os._exit(0)
    os.read(waits, 1)  # until the process between is gone
    os.close(waits)
    die_with(parent, signal.SIGKILL)
    return True


def _prepare(request: dict[str, Any], descriptors: list[int]) -> None:
    """What happens between fork and exec, and when an interpreter starts."""
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, place)
        os.close(descriptor)
    if request["own_session"]:
        os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    importlib.invalidate_caches()


def run(arguments: list[str]) -> None:
    """Run what follows ``python`` on a command line: ``-m MODULE …`` or ``FILE …``."""
    sys.orig_argv = [sys.executable, *arguments]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


def end(status: int) -> None:
    """All that a program may see of its end, and none of what an interpreter then does for itself.

    It takes its modules apart object by object: of those that are shared with the server it would copy each
    page first, ten times what the fork has cost. Where what was said cannot be written, it does, and says so.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(status)
    os._exit(status)


def _share() -> None:
    """Leave all that there is to the children."""
    # a thread would be missing in them, and what it held would stay locked
    assert threading.active_count() == len(os.listdir("/proc/self/task")) == 1
    # what the collector leaves alone, they share
    gc.freeze()


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    _share()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        request = wait_for_a_start(channel, int(sys.argv[2]))
    if request is None:
        return
    try:
        run(request["arguments"])
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        end((ended.code or 0) & 0xFF)
    else:
        end(0)


if __name__ == "__main__":
    main()
