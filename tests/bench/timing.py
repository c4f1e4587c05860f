"""What a worker measures with: one clock that all processes of the machine share."""

import json
import random
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any

Counted = dict[str, Any]


def payload(number: int) -> str:
    """A message of some 200 bytes, as JSON text."""
    return json.dumps({"order_id": number, "customer": f"c{number % 1000}", "note": "x" * 150})


# Written before anything is measured: to write JSON is the producer's work, not the queue's.
READY = [payload(number) for number in range(1, 1001)]
_next = cycle(READY)


def payloads(number: int) -> list[str]:
    """The next so many of the ready messages."""
    return list(islice(_next, number))


def count_steps(step: Callable[[], int], seconds: float, warm: float) -> Counted:
    """Repeat a step, which says how many messages it did, until the time is over or it did none."""
    _repeat(step, warm)
    begun = time.monotonic()
    done = _repeat(step, seconds)
    return {"done": done, "begun": begun, "ended": time.monotonic()}


def count_marks(marks: Sequence[float], warm: float) -> Counted:
    """From the moments at which a handler ran: those after the first and the warm-up."""
    if len(marks) < 2 or marks[0] == marks[-1]:
        return {"done": 0, "begun": time.monotonic() - 1, "ended": time.monotonic()}
    begun = min(marks[0] + warm, marks[(len(marks) - 1) // 2])
    counted = [mark for mark in marks if mark > begun]
    return {"done": len(counted), "begun": begun, "ended": marks[-1]}


def spaced(numbers: int) -> "Any":
    """The numbers below, each after a pause in which a consumer falls asleep again."""
    for number in range(numbers):
        time.sleep(random.uniform(0.03, 0.06))
        yield number


def _repeat(step: Callable[[], int], seconds: float) -> int:
    done, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        some = step()
        if not some:
            break
        done += some
    return done
