"""The folder of a supervisor: one at a time has it, and the secrets in it outlive a restart."""

from __future__ import annotations

import fcntl
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from dlqconsole.configuration import demo_environment
from dlqconsole.running.errors import AlreadyRunning
from dlqconsole.system.errors import RuntimeProblem


def take_lock(data: Path) -> IO[Any]:
    """Make the folder, for our eyes only, and take it until the answer is closed. Raises RuntimeProblem."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (data / "lock").open("a")
    except OSError as error:
        raise cannot_write(data, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise AlreadyRunning(
            f"The console is already running on {data}: use that one, or set DLQ_DATA_DIR"
        ) from None
    return lock


def cannot_write(data: Path, error: OSError) -> RuntimeProblem:
    """Return the problem of a folder that is not ours to write to."""
    return RuntimeProblem(f"Cannot write to {data} ({error.strerror}): set DLQ_DATA_DIR to a folder of yours")


def kept_secrets(data: Path, sizes: Iterable[tuple[str, int]], **given: str) -> dict[str, str]:
    """Return the secrets of the folder, made the first time and kept. ``given``: values that replace them."""
    file = data / "secrets"
    values = {**demo_environment.read(file), **{name: value for name, value in given.items() if value}}
    for name, size in sizes:
        values.setdefault(name, secrets.token_urlsafe(size))
    demo_environment.write(file, values)
    return values
