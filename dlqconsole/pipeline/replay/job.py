"""Replay: Spark's workers run the handlers of an operation's dead letters, and settle each by its token.

The operation says which they are, and people stop it there: what nobody has begun stays as it was. What the
workers do is committed with the operation's counts, and a second replay goes on where the first was stopped.
"""

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from dlqconsole.core.flow.judging import Bounds
from dlqconsole.core.lifecycle.failures import Backoff
from dlqconsole.core.lifecycle.retry_limits import RetryLimits
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.running.items import ItemRange, in_spark, work_on
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.pipeline.sql import sql

from .claims import ReplayTask
from .worker import replay_passed_over, replay_range

NAME = "replay"
# an operation of so few is never slowed
FREE = 50


def replay(settings: Settings, operation: int) -> int:
    """Work on what remains of an operation. The exit status."""
    return work_on(settings, NAME, operation, lambda *rest: _in_spark(settings, operation, *rest))


def _in_spark(
    settings: Settings,
    operation: int,
    run: Run,
    parts: Sequence[ItemRange],
    stop: StopSignal,
    terminal: Terminal,
) -> None:
    replay = _replay(settings, operation, run)
    doing = (NAME, f"replaying operation {operation}")
    # repeated failures are slow, and keep no worker from the others: all of them together, afterwards
    all_parts = ItemRange(parts[0].first, parts[-1].last, 0)
    rest = (all_parts, partial(replay_passed_over, replay))
    in_spark(settings, run, parts, stop, terminal, doing, partial(replay_range, replay), rest)


def _pace(settings: Settings, operation: int) -> Bounds | None:
    """A few are never slowed, nor where somebody ignores automatic slowing."""
    with closing(connect(settings.database_url, NAME)) as connection:
        row = connection.execute(sql("replay.slowed_by"), {"operation": operation}).fetchone()
    return settings.pace if row and row[0] > FREE and not row[1] else None


def _replay(settings: Settings, operation: int, run: Run) -> ReplayTask:
    work = work_of(settings, run.id)
    backoff = Backoff(settings.backoff_base, settings.backoff_cap)
    retry_limits = RetryLimits(settings.max_retries, backoff)
    return ReplayTask(work, operation, retry_limits, _pace(settings, operation))
