"""Spark's workers, as the rounds of an ingest need them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.jobs import StopSignal, run_job
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.running.terminal import STARTING_SPARK, Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.work import RunWork, environment_of, problem_of_worker, what_is_missing

# tasks for each core, so that no worker of a cluster is left out
CHECKS_PER_CORE = 4


class Workers:
    """Spark's workers, which compute once Spark runs. ``work_to_check``: what each must be able to do."""

    def __init__(
        self,
        settings: Settings,
        work_to_check: RunWork | None,
        run: Run,
        stop: StopSignal,
        terminal: Terminal,
    ) -> None:
        self.run, self.stop = run, stop
        self._settings, self._work_to_check, self._terminal = settings, work_to_check, terminal
        self._context: Any = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start Spark, and end it with the block. Raises BadRequest where a worker is not ready."""
        self.run.describe(STARTING_SPARK)
        with spark_context(self._settings, "ingest", self.stop.check, has_sql=False) as self._context:
            if self._work_to_check:
                self._check(self._work_to_check)
            yield

    def compute(self, function: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
        """The function of each value, in their order; one task a value, so that none waits long."""
        if not values:
            return []
        spread = self._context.parallelize(values, len(values))
        return run_job(self._context, self.run, self.stop, self._terminal, spread.map(function).collect)

    def _check(self, work: RunWork) -> None:
        tasks = CHECKS_PER_CORE * self._context.defaultParallelism
        for problem in self.compute(problem_of_worker, [work] * tasks):
            if problem:
                raise BadRequest(problem)


def check_handlers(settings: Settings) -> None:
    """Raise BadRequest where there are no handlers, or this machine lacks what they need."""
    if not settings.handlers:
        raise BadRequest("DLQ_HANDLERS is not set: name the modules that declare your handlers")
    environment_of(settings.handlers)
    if settings.on_this_machine and (problem := what_is_missing(settings.handlers)):
        raise BadRequest(problem)
