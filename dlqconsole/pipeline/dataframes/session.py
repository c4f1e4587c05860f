"""The user's own session, through DataFrame calls alone, which Spark Connect has, too."""

import re
from collections import Counter
from functools import partial
from typing import Any

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.running.jobs import in_plain_words
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.readiness import what_is_missing
from dlqconsole.pipeline.sink.work import RunWork

from .storing import TALLY, FrameTask, check_batches, tally_batches

# more than a small cluster has cores; each worker is asked once more by its first task
CHECKS = 32
_LOCAL = re.compile(r"local(?:\[(?:\d+|\*)(?:,(\d+))?\])?")


def task_attempts(session: Any) -> int:
    """Return how often this session's Spark tries a task."""
    return attempts_of(_master(session), int(session.conf.get("spark.task.maxFailures", "4")))


def attempts_of(master: str, most_failures: int) -> int:
    """Return how often a master tries a task: a local one that says no number, once, whatever else is set."""
    local = _LOCAL.fullmatch(master)
    return int(local[1] or 1) if local else most_failures


def check_workers(session: Any, work: RunWork) -> None:
    """Raise BadRequest where handlers lack something on a worker, before the first event."""
    if _LOCAL.fullmatch(_master(session)):
        problems = [what_is_missing(work.handlers)]
    else:
        frame = session.range(0, CHECKS, 1, CHECKS)
        rows = collect_rows(frame.mapInArrow(partial(check_batches, work), "problem string"))
        problems = [row.problem for row in rows]
    for problem in filter(None, problems):
        raise BadRequest(problem)


def store_frame(frame: Any, task: FrameTask) -> Tally:
    """Have the workers store the frame; the sum of their counts."""
    return sum_counts(frame.mapInArrow(partial(tally_batches, task), TALLY))


def sum_counts(counts: Any) -> Tally:
    """Sum the counts that the workers give back."""
    sums: Tally = Counter()
    for row in collect_rows(counts):
        sums[row.event_type, row.ending] += row.events
    return sums


def collect_rows(frame: Any) -> list[Any]:
    """Return the rows of a frame, which are counts and sentences and never events. Raises PipelineProblem."""
    try:
        rows: list[Any] = frame.collect()
    except PipelineProblem:
        raise
    except Exception as error:
        raise in_plain_words(error) from error
    return rows


def _master(session: Any) -> str:
    return str(session.conf.get("spark.master", ""))
