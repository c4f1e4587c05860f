"""What a worker measures with: one clock that all processes of the machine share."""

import json
import random
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

Counted = dict[str, Any]
_numbers = count(1)


def payload(number: int | None = None) -> str:
    """A message of some 200 bytes, as JSON text."""
    numbered = next(_numbers) if number is None else number
    return json.dumps({"order_id": numbered, "customer": f"c{numbered % 1000}", "note": "x" * 150})


def count_steps(step: Callable[[], int], seconds: float, warm: float) -> Counted:
    """Repeat a step, which says how many messages it did, until the time is over or it did none."""
    _repeat(step, warm)
    begun = time.monotonic()
    done = _repeat(step, seconds)
    return {"done": done, "begun": begun, "ended": time.monotonic()}


def count_marks(marks: Sequence[float], warm: float) -> Counted:
    """From the moments at which a handler ran: those after the first and the warm-up."""
    if len(marks) < 2:
        return {"done": 0, "begun": time.monotonic() - 1, "ended": time.monotonic()}
    begun = min(marks[0] + warm, marks[len(marks) // 2])
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
