"""Many calls for one process: several go together while they are quick, for each trip to it costs its time.

Only for what may be called again: where a process dies with several, each is tried alone.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .processes import CallResult, HandlerProcesses

# calls that go together, and the time after which no further one begins
MOST, QUICK_SECONDS = 25, 0.1


def each(call: Callable[[Any], Any], arguments: Sequence[Any]) -> list[Any]:
    """Run the first of these in the process and return their results; their time decides how many."""
    until, values = time.monotonic() + QUICK_SECONDS, []
    for argument in arguments:
        values.append(call(argument))
        if time.monotonic() > until:
            break
    return values


def run_all(processes: HandlerProcesses, arguments: Sequence[Any], seconds: float) -> Iterator[CallResult]:
    """Yield the result of each, in order; their ``entry`` is an ``each``. A call may take ``seconds``."""
    rest = list(arguments)
    while rest:
        result = processes.run("bulk", rest[:MOST], seconds)
        if result.death is None:
            yield from (CallResult(None, value) for value in result.value)
            rest = rest[len(result.value) :]
            continue
        if len(rest) == 1:
            yield result
            return
        for argument in rest[:MOST]:
            yield _alone(processes, argument, seconds)
        rest = rest[MOST:]


def _alone(processes: HandlerProcesses, argument: Any, seconds: float) -> CallResult:
    result = processes.run("bulk", [argument], seconds)
    return result if result.death else CallResult(None, result.value[0])
