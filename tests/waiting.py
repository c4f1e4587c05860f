"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable

# Seconds between two looks, at first and from the first second on: a look costs, here and in the database.
SHORTEST, LONGEST = 0.02, 0.1


def eventually(condition: Callable[[], object], seconds: float = 120) -> None:
    """Look until it is so, the less often the longer it takes; fail after so many seconds."""
    _wait(condition, seconds, LONGEST)


def as_soon_as(condition: Callable[[], object], seconds: float = 120) -> None:
    """The same for what is over soon, and is to be met while it lasts: look every few milliseconds."""
    _wait(condition, seconds, SHORTEST)


def _wait(condition: Callable[[], object], seconds: float, longest: float) -> None:
    begun = time.monotonic()
    while not condition():
        waited = time.monotonic() - begun
        assert waited < seconds, f"it did not happen within {seconds:g} s"
        time.sleep(min(longest, max(SHORTEST, waited / 10)))
