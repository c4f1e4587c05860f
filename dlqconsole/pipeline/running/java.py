"""Spark's Java process: its end and why, its classes, and complaints of those who talk to it."""

import fcntl
import hashlib
import logging
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self

from dlqconsole.pipeline.errors import PipelineProblem

# between the end of Java's connections and its own
ENDING_SECONDS = 0.5
_NO_MEMORY = (
    "insufficient memory",
    "Cannot allocate memory",
    "Could not reserve enough space",
    "OutOfMemoryError",
)
# of Java's own remarks on classes that it leaves out
_SILENT = "-Xlog:cds*=off"
# the content of a lock whose Java did not come to its end
_IN_VAIN = "Java wrote no classes; remove this to have it try again\n"
# the bridge to Java: it logs by loggers of its own, and by the root logger
_BRIDGE = "py4j"


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


class JavaClasses:
    """Java's classes as an earlier start left them: later starts map that file, and read none one by one.

    Of one sort of job, to be read, or to be written by this process alone. The first job of its sort has Java
    write the file when it ends, which takes some seconds, once. A file is of one Java and one Spark; Java
    itself looks whether it fits, and goes on without where it does not ("dynamic CDS archives", JEP 350).
    """

    def __init__(self, file: Path) -> None:
        self._file, self._writing = file, file.with_suffix(".writing")
        self._lock: IO[Any] | None = None if file.exists() else _lock_file(file.with_suffix(".lock"))

    @classmethod
    def of(cls, folder: Path, sort: str, *, made_of: str) -> Self:
        """Return the file in a folder of ours. ``made_of``: what no file of another may be taken for."""
        return cls(folder / f"classes-{sort}-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}.jsa")

    @property
    def options(self) -> str:
        """The options to start Java with; empty: as ever."""
        if self.are_written:
            return f"-XX:ArchiveClassesAtExit={self._writing} {_SILENT}"
        return f"-XX:SharedArchiveFile={self._file} {_SILENT}" if self._file.exists() else ""

    @property
    def are_written(self) -> bool:
        """Tell whether Java has to write them at its end."""
        return self._lock is not None

    def keep(self, *, whole: bool, had_time: bool) -> None:
        """Take what Java has written at its end or, where it did not end well, leave nothing of it.

        ``had_time``: it had all its time. What it has not written then, it is not asked for again.
        """
        if self._lock is None:
            return
        if whole and self._writing.exists():
            self._writing.replace(self._file)
        elif had_time:
            self._lock.write(_IN_VAIN)
        self._writing.unlink(missing_ok=True)
        self._lock.close()


def _lock_file(path: Path) -> IO[Any] | None:
    """Lock a file until it is closed; None where somebody else has it, or nothing can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return None if lock.tell() else lock


class Complaints(logging.Handler):
    """The log for what Spark's own Python code complains of once Java has ended: pages of traces.

    Several threads fail then, each by itself; the person is told the reason, in one line. It stays when Spark
    has ended: a thread may come late.
    """

    def __init__(self, log: Path) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def of_bridge(self) -> None:
        """Take what py4j logs, in the place of whom an earlier Spark of this process had."""
        bridge, root = logging.getLogger(_BRIDGE), logging.getLogger()
        bridge.setLevel(logging.WARNING)  # it tells of every connection it closes
        bridge.propagate = False
        bridge.handlers = [self]
        root.filters = [*(one for one in root.filters if not isinstance(one, _OthersOnly)), _OthersOnly(self)]

    def of_counters(self, server: Any) -> None:
        """Take what the server for Java's counts (accumulators) says of a connection that broke."""
        server.handle_error = lambda _request, _address: self._write(
            f"Java's counts: {_reason(sys.exc_info()[1])}"
        )

    def emit(self, record: logging.LogRecord) -> None:
        """One line: its trace would ask Java for words, and Java is gone."""
        reason = f": {_reason(record.exc_info[1])}" if record.exc_info else ""
        self._write(f"{record.module}: {record.getMessage()}{reason}")

    def _write(self, line: str) -> None:
        with suppress(OSError), self._log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


class _OthersOnly(logging.Filter):
    """A filter for the root logger that passes all but the bridge's lines."""

    def __init__(self, complaints: Complaints) -> None:
        super().__init__()
        self._complaints = complaints

    def filter(self, record: logging.LogRecord) -> bool:
        if Path(record.pathname).parent.name != _BRIDGE:
            return True
        self._complaints.handle(record)
        return False


def _reason(error: BaseException | None) -> str:
    return "".join(traceback.format_exception_only(error)).strip() if error else "it did not say why"
