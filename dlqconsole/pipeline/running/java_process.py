"""Spark's Java process: why it ended, and how it is ended."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dlqconsole.pipeline.errors import PipelineProblem

# between the end of Java's connections and its own
ENDING_SECONDS = 0.5
_NO_MEMORY = (
    "insufficient memory",
    "Cannot allocate memory",
    "Could not reserve enough space",
    "OutOfMemoryError",
)


@contextmanager
def java_may_end(java: subprocess.Popen[bytes], log: Path, check_stop: Callable[[], None]) -> Iterator[None]:
    """Explain why Java ended: errors after that only say that nobody answers."""
    try:
        yield
    except Exception as error:
        if isinstance(error, PipelineProblem) and type(error) is not PipelineProblem:
            raise  # it names a reason of its own
        check_stop()
        with suppress(subprocess.TimeoutExpired):
            status = java.wait(ENDING_SECONDS)
            raise PipelineProblem(_why_java_ended(status, log)) from error
        raise


def _why_java_ended(status: int, log: Path) -> str:
    words = f"killed by signal {-status}" if status < 0 else f"with exit status {status}"
    reason = known_reason(log)
    if status == -signal.SIGKILL and not reason:
        reason = (
            ", probably because the machine had no memory left (lower SPARK_DRIVER_MEMORY, or give it more)"
        )
    return f"Spark's Java process ended in the middle of the job, {words}{reason}; its log is {log}"


def known_reason(log: Path) -> str:
    """Return Java's reason in words when it gets no memory; empty for everything else."""
    with suppress(OSError):
        if any(words in log.read_text(encoding="utf-8", errors="replace") for words in _NO_MEMORY):
            return ", because Java did not get its memory (lower SPARK_DRIVER_MEMORY, or give it more)"
    return ""


def end_java(kind: Any, java: subprocess.Popen[bytes], seconds: float) -> None:
    """Java ends when its standard input does; what does not is killed. The next start makes a new one."""
    if kind._gateway is not None:
        with suppress(Exception):
            kind._gateway.shutdown()
    kind._gateway = kind._jvm = None
    with suppress(OSError):
        if java.stdin:
            java.stdin.close()
    try:
        java.wait(seconds)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()
