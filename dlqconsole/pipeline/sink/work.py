"""The work that travels to a worker."""

from dataclasses import dataclass, replace
from typing import Self

from dlqconsole.core.flow.breakers import DEFAULT_RULES, Rules
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.sampling import Sampling


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
    # None: no success is kept as a sample
    sampling: Sampling | None = None
    environment: tuple[tuple[str, str], ...] = ()
    task_attempts: int = 3

    def of_run(self, run_id: int) -> Self:
        """The same work for another run."""
        return replace(self, run_id=run_id)
