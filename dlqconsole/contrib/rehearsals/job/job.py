"""Rehearse: Spark's workers run the handlers of an operation's dead letters, and keep what each would do.

Nothing of a dead letter changes, and none is claimed. People stop it by the operation; what is kept by then
stays, and a second run goes on with the rest.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from dlqconsole.contrib.rehearsals.job.worker import RehearsalTask, rehearse_range
from dlqconsole.pipeline.running.items import ItemRange, in_spark, work_on
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.work import work_of

NAME = "rehearse"


def rehearse(settings: Settings, operation: int) -> int:
    """Work on what remains of a rehearsal. The exit status."""
    return work_on(settings, NAME, operation, lambda *rest: _in_spark(settings, operation, *rest))


def _in_spark(
    settings: Settings,
    operation: int,
    run: Run,
    parts: Sequence[ItemRange],
    stop: StopSignal,
    terminal: Terminal,
) -> None:
    work = partial(rehearse_range, _rehearsal(settings, operation, run))
    in_spark(settings, run, parts, stop, terminal, (NAME, f"rehearsing operation {operation}"), work)


def _rehearsal(settings: Settings, operation: int, run: Run) -> RehearsalTask:
    # nothing of a rehearsal is a success
    work = replace(work_of(settings, run.id), success_keepers=())
    return RehearsalTask(work, operation)
