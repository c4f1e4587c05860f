"""The archive's folder as this process sees it: is it the right one, and are its files there?"""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from django.conf import settings

from dlqconsole.contrib.archive.job import mark, parquet
from dlqconsole.contrib.archive.job.layout import within
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.contrib.archive.models import ArchiveFile
from dlqconsole.core.errors import EngineError
from dlqconsole.hosting.database import connection
from dlqconsole.pipeline.errors import PipelineProblem

# A network file system that is away never answers. The pages that report it must not wait for it.
SECONDS = 2.0
AWAY = "the archive's folder does not answer: see to the file system that is mounted there"


class ArchiveRefused(EngineError):
    """The archive cannot restore or erase: the sentence names the file, the cause and what to do."""


def problem() -> str:
    """The reason why the archive does not work, and what to do; empty where all is well."""
    with connection.cursor() as cursor:
        cursor.execute(sql("archive.known").decode())
        identity, folder = mark.ArchiveState(*cursor.fetchone()), settings.DLQ_ARCHIVE_DIR
    return _checks.ask(lambda: mark.problem(identity, folder))


def missing(file: ArchiveFile) -> str:
    """The reason why a file that the database knows cannot be read; empty: it is there in its full size."""
    try:
        parquet.check_size(within(settings.DLQ_ARCHIVE_DIR, file.path), file.bytes)
    except PipelineProblem as problem:
        return str(problem)
    return ""


class _FolderChecks:
    """Runs one check at a time, in a thread. Callers that come meanwhile share it; none waits if it hangs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Future[str] | None = None

    def ask(self, check: Callable[[], str]) -> str:
        """Return the sentence of a check that is new or under way."""
        with self._lock:
            if self._last is None or self._last.done():
                self._last = Future()
                threading.Thread(target=_answer, args=(self._last, check), daemon=True).start()
            answer = self._last
        try:
            return answer.result(SECONDS)
        except TimeoutError:
            return AWAY


def _answer(answer: Future[str], check: Callable[[], str]) -> None:
    try:
        answer.set_result(check())
    except Exception as error:
        answer.set_exception(error)


_checks = _FolderChecks()
