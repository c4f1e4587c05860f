"""Ingest: every line of every file becomes an enriched event or a dead letter, once.

The driver hands out pieces of files; workers read, handle and store them. What is done is in the
tables themselves, committed with the rows it counts: there is no checkpoint to lose.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.handlers import load_handlers

from .errors import BadRequest
from .jobs import StopSignal, run_job
from .runs import Run, recorded
from .session import spark_context
from .settings import Settings
from .sink import Tally
from .sources.files import look_for_files
from .sources.folder import Folder, Request
from .sources.survey import Piece
from .terminal import Terminal, progress_line, summary_table
from .work import Work
from .worker import ingest_piece

LOOK_SECONDS = 2.0


def ingest(settings: Settings, source: str, *, once: bool) -> int:
    """Read a file or a folder; without `once` go on watching it. The exit status."""
    _check_handlers(settings)
    found = look_for_files(source)
    files = found.files
    terminal, stop = Terminal("ingest"), StopSignal()
    with stop.listening(), recorded(settings.database_url, "ingest", source) as run:
        if once:
            terminal.say_left_alone(found.left_alone)
        if once and not files:
            return _nothing(run, terminal, source)
        run.describe("starting Spark")
        with spark_context(settings, "ingest") as context, stop.listening():
            job = _Ingest(context, settings, run, stop, terminal)
            if once:
                job.read([Request(file) for file in files])
            else:
                job.watch(source)
        return _finish(run, terminal, source, job.tally)


def _check_handlers(settings: Settings) -> None:
    if not settings.handlers:
        raise BadRequest("DLQ_HANDLERS is not set: name the modules that declare your handlers")
    try:
        load_handlers(settings.handlers)
    except SetupError as error:
        raise BadRequest(str(error)) from error


def _nothing(run: Run, terminal: Terminal, source: str) -> int:
    run.finish("completed", f"no events in {source}")
    terminal.say(f"ingest: no events in {source}")
    return 0


def _finish(run: Run, terminal: Terminal, source: str, tally: Tally) -> int:
    if not tally:
        return _nothing(run, terminal, source)
    run.beat()
    line = progress_line("ingest", run.progress)
    run.finish("completed", line.removeprefix("ingest: "))
    terminal.say(line)
    terminal.say(summary_table(tally))
    return 0


class _Ingest:
    """The rounds of one run: have the files looked through and cut into pieces, then have those read."""

    def __init__(
        self, context: Any, settings: Settings, run: Run, stop: StopSignal, terminal: Terminal
    ) -> None:
        self._context, self._run, self._stop, self._terminal = context, run, stop, terminal
        self._work = Work(
            database_url=settings.database_url,
            run_id=run.id,
            handlers=settings.handlers,
            limits=settings.limits,
            handler_timeout=settings.handler_timeout,
            backoff_base=settings.backoff_base,
            handler_memory=settings.handler_memory,
            breaker=settings.breaker,
        )
        self.tally: Tally = Counter()

    def read(self, requests: Sequence[Request]) -> list[list[Piece]]:
        """Read these files; the pieces of each."""
        files = "1 file" if len(requests) == 1 else f"{len(requests):,} files"
        self._run.describe(f"looking through {files}")
        found = self._in_spark(Request.pieces, requests)
        pieces = [piece for of_one_file in found for piece in of_one_file]
        self._run.describe(f"reading {files}", sum(piece.lines for piece in pieces))
        for tally in self._in_spark(partial(ingest_piece, self._work), pieces):
            self.tally.update(tally)
        return found

    def watch(self, source: str) -> None:
        """Read what is there, then what comes, until we are stopped between two rounds."""
        folder = Folder(source)
        while True:
            requests = folder.news(time.time())
            self._terminal.say_left_alone(folder.left_alone)
            if requests:
                for request, pieces in zip(requests, self.read(requests), strict=True):
                    folder.remember(request, pieces)
                self._run.describe(f"watching {source}")
            self._run.beat()
            if self._stop.wait(LOOK_SECONDS):
                return

    def _in_spark(self, function: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
        """The function of each value, computed by the workers; one task a value, so that none waits long."""
        if not values:
            return []
        spread = self._context.parallelize(values, len(values))
        return run_job(self._context, self._run, self._stop, self._terminal, spread.map(function).collect)
