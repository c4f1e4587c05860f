"""The work that travels to a worker, and the check that the worker has what the handlers need.

A worker of a cluster has neither our environment nor, perhaps, our files: without this check every event
would fail for the same reason, and the job would end well.
"""

import gc
import os
import socket
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from dlqconsole.core.flow.breakers import DEFAULT_RULES, Rules
from dlqconsole.core.successes import Keeper
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.settings import Settings, have_a_secret
from dlqconsole.processing.errors import DependencyError, SetupError
from dlqconsole.processing.handlers import Registry, load_handlers
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.lookups import Table

# read by the lookup tables themselves
_LOOKUPS = "DLQ_LOOKUPS_DIR"
# the runs for which this process was found ready
_ready: set[int] = set()


@dataclass(frozen=True, slots=True)
class RunWork:
    """The facts that a worker needs of the run it works for.

    ``handler_timeout``: seconds an event may take. ``handler_memory``: bytes its process may need; 0: any.
    ``environment``: what the handlers read, sent along because no worker of a cluster has ours.
    ``task_attempts``: how often Spark tries a task; where it is once, no handler may harm its worker.
    """

    database_url: str
    run_id: int
    handlers: str
    limits: Limits
    handler_timeout: float
    backoff_base: float
    handler_memory: int = 0
    breaker: Rules = DEFAULT_RULES
    success_keepers: tuple[Keeper, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    task_attempts: int = 3

    def of_run(self, run_id: int) -> Self:
        """The same work for another run."""
        return replace(self, run_id=run_id)


def environment_of(handlers: str) -> tuple[tuple[str, str], ...]:
    """Return our environment for the workers. Raises BadRequest: the handlers cannot be loaded."""
    variables = {_LOOKUPS: str(Path(os.environ.get(_LOOKUPS) or ".").absolute())}
    for name in _load(handlers).variables:
        if name in os.environ:
            variables[name] = os.environ[name]
    return tuple(variables.items())


def work_of(settings: Settings, run_id: int, task_attempts: int = 3) -> RunWork:
    """Return what travels to the workers of a run. Raises BadRequest: the handlers cannot be loaded."""
    return RunWork(
        database_url=settings.database_url,
        run_id=run_id,
        handlers=settings.handlers,
        limits=settings.limits,
        handler_timeout=settings.handler_timeout,
        backoff_base=settings.backoff_base,
        handler_memory=settings.handler_memory,
        breaker=settings.breaker,
        success_keepers=settings.success_keepers,
        environment=environment_of(settings.handlers),
        task_attempts=task_attempts,
    )


def make_ready(work: RunWork) -> None:
    """Take over the environment sent along, and check once a process. Raises BadRequest, naming the place."""
    if work.run_id in _ready:
        return
    if problem := problem_of_worker(work):
        raise BadRequest(problem)
    _ready.add(work.run_id)
    _settle_down()


def _settle_down() -> None:
    """Freeze what is loaded by now: Spark's workers collect garbage after each task, and pass it over."""
    spark = sys.modules.get("pyspark")
    if spark and spark.TaskContext.get():
        gc.collect()
        gc.freeze()


def problem_of_worker(work: RunWork) -> str:
    """Take over the environment sent along; a sentence about what is missing, and where, or nothing."""
    os.environ.update(work.environment)
    # a handler that uses Django's connection meets it here as in a consumer; nothing is loaded for the others
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
    have_a_secret()
    problem = what_is_missing(work.handlers)
    return problem and f"the worker on {socket.gethostname()} in {os.getcwd()}: {problem}"


def what_is_missing(handlers: str) -> str:
    """A sentence about the first thing that handlers lack in this process; empty when nothing is missing."""
    try:
        registry = _load(handlers)
    except BadRequest as problem:
        return str(problem)
    for name in registry.variables:
        if not os.environ.get(name):
            return f"the environment variable {name}, which a handler needs, is not set"
    return next(filter(None, map(_problem_of, registry.tables)), "")


def _load(handlers: str) -> Registry:
    try:
        return load_handlers(handlers)
    except SetupError as error:
        raise BadRequest(str(error)) from error


def _problem_of(table: Table) -> str:
    try:
        len(table)
    except DependencyError as away:
        return str(away)
    return ""
