"""Handlers that note in which order they are called, in the process that runs them."""

import time

from dlqconsole.processing import handler
from dlqconsole.processing.events import Event

CALLED: list[str] = []


@handler("fast")
def fast(event: Event, lookups):
    CALLED.append("fast")


@handler("other")
def other(event: Event, lookups):
    CALLED.append("other")


@handler("slow")
def slow(event: Event, lookups):
    CALLED.append("slow")
    time.sleep(0.35)
