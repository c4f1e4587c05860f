"""Java's classes as an earlier start left them: later starts map that file, and read none one by one.

The first job of its sort has Java write the file when it ends, which takes some seconds, once. A file is
of one Java and one Spark; Java itself looks whether it fits, and goes on without where it does not ("dynamic
CDS archives", JEP 350).
"""

import fcntl
import hashlib
from pathlib import Path
from typing import IO, Any, Self

# of Java's own remarks on classes that it leaves out
_SILENT = "-Xlog:cds*=off"
# the content of a lock whose Java did not come to its end
_IN_VAIN = "Java wrote no classes; remove this to have it try again\n"


class JavaClasses:
    """The file for one sort of job, to be read, or to be written by this process alone."""

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
