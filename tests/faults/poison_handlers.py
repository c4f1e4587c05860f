"""Handlers that do to their processes whatever a handler can do, and a healthy one beside them."""

import os
import signal
import time
from contextlib import suppress
from typing import Any

from dlqconsole.processing import handler
from dlqconsole.processing.events import Event

POISONS = ("poison.hang", "poison.swallow", "poison.exit", "poison.leak")


@handler("healthy")
def healthy(event: Event, lookups: object) -> dict[str, Any]:
    time.sleep(0.04)
    return {}


@handler("poison.hang")
def hang(event: Event, lookups: object) -> None:
    """As a library that waits in C would, and hears no signal meanwhile."""
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))
    time.sleep(600)


@handler("poison.swallow")
def swallow(event: Event, lookups: object) -> None:
    """As a loop does that goes on whatever happens."""
    while True:
        with suppress(BaseException):
            time.sleep(0.05)


@handler("poison.exit")
def leave(event: Event, lookups: object) -> None:
    os._exit(0)


@handler("poison.leak")
def leak(event: Event, lookups: object) -> None:
    kept = []
    while True:
        kept.append(bytearray(4_000_000))
