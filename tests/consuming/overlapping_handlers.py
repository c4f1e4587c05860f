"""Handlers that say in a file when they begin and end; one of them is ``async``."""

import asyncio
import os
import time
from typing import Any

from dlqconsole.processing import TransientError, handler
from dlqconsole.processing.events import Event
from tests.sample_handlers import _obey


class Away(TransientError):
    """The other side does not answer."""


@handler("order.created")
def created(event: Event, lookups: object) -> dict[str, Any]:
    _say("begin", event)
    if event.data.get("do") == "away":
        raise Away("no answer")
    _obey(event.data)
    _say("end", event)
    return {"order_id": event.data["order_id"]}


@handler("order.awaited")
async def awaited(event: Event, lookups: object) -> dict[str, Any]:
    _say("begin", event)
    if event.data.get("do") == "away":
        raise Away("no answer")
    if event.data.get("do") == "orm":
        from dlqconsole.engine.models import Queue

        return {"queues": [queue.name async for queue in Queue.objects.all()]}
    await asyncio.sleep(event.data.get("seconds", 0))
    _say("end", event)
    return {"order_id": event.data["order_id"]}


def _say(what: str, event: Event) -> None:
    line = f"{what} {event.data['order_id']} {event.data.get('group', '-')} {time.monotonic()}\n"
    with open(os.environ["OVERLAP_LOG"], "a") as file:
        file.write(line)  # a short one is written whole
