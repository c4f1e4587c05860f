"""What travels to a worker."""

from dataclasses import dataclass

from dlqconsole.processing.breakers import DEFAULT_RULES, Rules
from dlqconsole.processing.limits import Limits


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker needs to know of the run it works for.

    ``handler_timeout``: seconds an event may take. ``handler_memory``: bytes its process may need; 0: any.
    """

    database_url: str
    run_id: int
    handlers: str
    limits: Limits
    handler_timeout: float
    backoff_base: float
    handler_memory: int = 0
    breaker: Rules = DEFAULT_RULES
