"""Circuit breakers: handlers do not run while something that they need does not answer.

One state in the database for each event type and each dependency that handlers name. Consumers, the schedule,
operations and Spark report to it and ask it before they run a handler. An outage opens it, not a tenth of
failures; while it is open nothing uses up its tries, and one run at a time tries whether it is over.
"""

from dlqconsole.engine.breakers.gate import Gate
from dlqconsole.engine.breakers.holding import hold, resume
from dlqconsole.engine.breakers.states import State, describe, state_of, states, why
from dlqconsole.processing.breakers import Blocked, BlockedTypes, dependency_key, type_key

__all__ = [
    "Blocked",
    "BlockedTypes",
    "Gate",
    "State",
    "dependency_key",
    "describe",
    "hold",
    "resume",
    "state_of",
    "states",
    "type_key",
    "why",
]
