"""Named places at which a fault test may kill this process. Inert unless DLQ_CRASH_POINT names one.

``DLQ_CRASH_POINT=consumer.handled:7`` ends the process, as ``kill -9`` would, the seventh time it gets there.
"""

import os
import signal

NAMES = (
    "adopt.keeping",  # dead letters of an attached queue written, not committed
    "adopt.kept",  # committed, and not yet acknowledged over there
    "adopt.acknowledged",  # acknowledged over there, nothing of that noted here
    "consumer.claimed",  # leases committed, no handler run
    "consumer.handled",  # a handler's effect is there, nothing recorded
    "consumer.recorded",  # the outcome is committed, this process does not know it yet
    "consumer.failed",  # a handler failed, neither retry nor dead letter recorded
    "consumer.buried",  # message gone and dead letter there
    "export.stored",  # a part of an export's file stored, the others not
    "move.taken",  # a batch claimed over there, nothing of it here
    "move.put",  # it is committed here, and not yet removed there
    "operation.freezing",  # a window of the selection written, not committed
    "operation.frozen",  # committed, the worker does not know it yet
    "operation.paging",  # a page's dead letters moved and counted, not committed
    "operation.paged",  # committed, the worker does not know it yet
    "operation.releasing",  # held back messages brought forward, not committed
    "operation.released",  # committed, the worker does not know it yet
)

_NAME, _, _COUNT = os.environ.get("DLQ_CRASH_POINT", "").partition(":")
_visits_to_go = int(_COUNT or 1)


def reach(name: str) -> None:
    """Die here, if this is the place and the time."""
    global _visits_to_go
    if name != _NAME:
        return
    _visits_to_go -= 1
    if _visits_to_go == 0:
        os.kill(os.getpid(), signal.SIGKILL)
