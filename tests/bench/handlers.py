"""The handlers that run while consumer and schedule are measured: they return their record, or wait."""

import asyncio
import time
from typing import Any

from dlqconsole.processing import handler
from dlqconsole.processing.events import Event


@handler("bench")
def bench(event: Event, lookups: object) -> dict[str, Any]:
    return {"order_id": event.data["order_id"]}


@handler("bench.quick")
@handler("bench.slow")
def waiting(event: Event, lookups: object) -> dict[str, Any]:
    return wait(event.data)


def wait(data: dict[str, Any]) -> dict[str, Any]:
    """A handler that takes so many ``seconds``, 0 for none."""
    if data["seconds"]:
        time.sleep(data["seconds"])
    return {"order_id": data["order_id"]}


@handler("bench.waits")
def waits(event: Event, lookups: object) -> dict[str, Any]:
    time.sleep(0.005)
    return {"order_id": event.data["order_id"]}


@handler("bench.awaits")
async def awaits(event: Event, lookups: object) -> dict[str, Any]:
    await asyncio.sleep(0.005)
    return {"order_id": event.data["order_id"]}
