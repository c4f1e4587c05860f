"""Replay: Spark's workers run the handlers of an operation's dead letters, and settle each by its token.

The operation says which they are, and people stop it there: what nobody has begun stays as it was. What the
workers do is committed with the operation's counts, and a second replay goes on where the first was stopped.
"""

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.running.items import Range, check_operation, in_spark, ranges
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run, recorded
from dlqconsole.pipeline.running.terminal import Terminal, progress_line
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.readiness import environment_of
from dlqconsole.pipeline.sink.work import Work
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.pacing import Bounds

from .claims import Replay
from .patience import Patience
from .worker import replay_range

NAME = "replay"
# an operation of so few is never slowed
FREE = 50


def replay(settings: Settings, operation: int) -> int:
    """Work on what remains of an operation. The exit status."""
    check_operation(settings, NAME, operation)
    terminal, stop = Terminal(NAME), StopSignal()
    with (
        stop.listening(),
        recorded(settings, NAME, f"operation {operation}", "dead letters") as run,
    ):
        parts = ranges(settings, NAME, operation)
        if parts:
            _in_spark(settings, operation, run, parts, stop, terminal)
        run.beat()
        line = progress_line(NAME, run.progress) if parts else "replay: nothing remains"
        run.finish("completed", line.removeprefix("replay: "))
        terminal.say(line)
    return 0


def _in_spark(
    settings: Settings, operation: int, run: Run, parts: Sequence[Range], stop: StopSignal, terminal: Terminal
) -> None:
    work = partial(replay_range, _replay(settings, operation, run))
    in_spark(settings, run, parts, stop, terminal, (NAME, f"replaying operation {operation}"), work)


def _pace(settings: Settings, operation: int) -> Bounds | None:
    """A few are never slowed, nor what somebody wants at full speed."""
    with closing(connect(settings.database_url, NAME)) as connection:
        row = connection.execute(sql("replay.slowed_by"), {"operation": operation}).fetchone()
    return settings.pace if row and row[0] > FREE and not row[1] else None


def _replay(settings: Settings, operation: int, run: Run) -> Replay:
    work = Work(
        database_url=settings.database_url,
        run_id=run.id,
        handlers=settings.handlers,
        limits=settings.limits,
        handler_timeout=settings.handler_timeout,
        backoff_base=settings.backoff_base,
        handler_memory=settings.handler_memory,
        breaker=settings.breaker,
        environment=environment_of(settings.handlers),
        sampling=settings.sampling,
    )
    patience = Patience(settings.max_retries, settings.backoff_base, settings.backoff_cap)
    return Replay(work, operation, patience, _pace(settings, operation))
