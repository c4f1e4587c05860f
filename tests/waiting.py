"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], seconds: float = 120) -> None:
    """Look every few milliseconds until it is so; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen within {seconds:g} s"
        time.sleep(0.02)
