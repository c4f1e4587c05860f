"""The archive's folder as this process sees it: whether it is the right one, which files are there."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from django.conf import settings
from django.db import connection

from dlqconsole.archive.models import ArchiveFile
from dlqconsole.pipeline.archive import mark, parquet
from dlqconsole.pipeline.archive.layout import within
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql

# A network file system that is away answers never, and the pages that say so must not wait for it.
SECONDS = 2.0
AWAY = "the archive's folder does not answer: see to the file system that is mounted there"


def problem() -> str:
    """Why nothing is archived, restored or erased, and what to do; empty where all is well."""
    with connection.cursor() as cursor:
        cursor.execute(sql("archive.known").decode())
        known, folder = mark.ArchiveState(*cursor.fetchone()), settings.DLQ_ARCHIVE_DIR
    return _looks.ask(lambda: mark.problem(known, folder))


def missing(file: ArchiveFile) -> str:
    """Why a file that the database knows cannot be read; empty: it is there, as long as it was."""
    try:
        parquet.check_size(within(settings.DLQ_ARCHIVE_DIR, file.path), file.bytes)
    except PipelineProblem as problem:
        return str(problem)
    return ""


class _Looks:
    """One look at a time, in a thread that nobody waits for when it hangs; who comes meanwhile shares it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Future[str] | None = None

    def ask(self, look: Callable[[], str]) -> str:
        """The sentence of a look that is new, or under way."""
        with self._lock:
            if self._last is None or self._last.done():
                self._last = Future()
                threading.Thread(target=_answer, args=(self._last, look), daemon=True).start()
            answer = self._last
        try:
            return answer.result(SECONDS)
        except TimeoutError:
            return AWAY


def _answer(answer: Future[str], look: Callable[[], str]) -> None:
    try:
        answer.set_result(look())
    except Exception as error:
        answer.set_exception(error)


_looks = _Looks()
