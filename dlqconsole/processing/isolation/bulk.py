"""Many calls for one process: several go together while they are quick, for each trip to it costs its time.

Only for what may be called again: where a process dies with several, each is tried alone.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .processes import Finished, HandlerProcesses

# so many go together, and none begins later than that after the first
MOST, QUICK_SECONDS = 25, 0.1


def each(call: Callable[[Any], Any], arguments: Sequence[Any]) -> list[Any]:
    """In the process: what came of the first of these; of how many, their time says."""
    until, done = time.monotonic() + QUICK_SECONDS, []
    for argument in arguments:
        done.append(call(argument))
        if time.monotonic() > until:
            break
    return done


def run_all(processes: HandlerProcesses, arguments: Sequence[Any], seconds: float) -> Iterator[Finished]:
    """What came of each, in their order; their ``entry`` is an ``each``. A call may take ``seconds``."""
    left = list(arguments)
    while left:
        finished = _run(processes, left[:MOST], seconds)
        if finished.death is None:
            yield from (Finished(None, value) for value in finished.value)
            left = left[len(finished.value) :]
            continue
        if len(left) == 1:
            yield finished
            return
        for argument in left[:MOST]:
            yield _alone(processes, argument, seconds)
        left = left[MOST:]


def _alone(processes: HandlerProcesses, argument: Any, seconds: float) -> Finished:
    finished = _run(processes, [argument], seconds)
    return finished if finished.death else Finished(None, finished.value[0])


def _run(processes: HandlerProcesses, arguments: Sequence[Any], seconds: float) -> Finished:
    processes.begin("bulk", list(arguments), seconds)
    while not (done := processes.finished(60.0)):
        pass
    return done[0]
