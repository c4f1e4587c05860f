"""Rehearse: Spark's workers run the handlers of an operation's dead letters, and keep what each would do.

Nothing of a dead letter changes, and none is claimed. People stop it by the operation; what is kept by then
stays, and a second run goes on with the rest.
"""

from collections.abc import Sequence
from functools import partial

from dlqconsole.pipeline.running.items import Range, check_operation, in_spark, ranges
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run, recorded
from dlqconsole.pipeline.running.terminal import Terminal, progress_line
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.readiness import environment_of
from dlqconsole.pipeline.sink.work import Work

from .worker import Rehearsal, rehearse_range

NAME = "rehearse"


def rehearse(settings: Settings, operation: int) -> int:
    """Work on what remains of a rehearsal. The exit status."""
    check_operation(settings, NAME, operation)
    terminal, stop = Terminal(NAME), StopSignal()
    with stop.listening(), recorded(settings, NAME, f"operation {operation}", "dead letters") as run:
        parts = ranges(settings, NAME, operation)
        if parts:
            _in_spark(settings, operation, run, parts, stop, terminal)
        run.beat()
        line = progress_line(NAME, run.progress) if parts else f"{NAME}: nothing remains"
        run.finish("completed", line.removeprefix(f"{NAME}: "))
        terminal.say(line)
    return 0


def _in_spark(
    settings: Settings, operation: int, run: Run, parts: Sequence[Range], stop: StopSignal, terminal: Terminal
) -> None:
    work = partial(rehearse_range, _rehearsal(settings, operation, run))
    in_spark(settings, run, parts, stop, terminal, (NAME, f"rehearsing operation {operation}"), work)


def _rehearsal(settings: Settings, operation: int, run: Run) -> Rehearsal:
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
    )
    return Rehearsal(work, operation)
