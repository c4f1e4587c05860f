"""Batch handlers that say in a file which lists they were called with."""

import json
import os
import signal
import time
from typing import Any

from dlqconsole.processing import BusinessError, handler
from dlqconsole.processing.events import Event

SCHEMA = {"type": "object", "required": ["order_id"]}


class Refused(BusinessError):
    """No."""


@handler("order.created", schema=SCHEMA, batch=50)
def created(events: list[Event], lookups: object) -> list[Any] | None:
    _note(events)
    for event in events:
        _obey(event.data.get("do"))
    if any(event.data.get("do") == "forget one" for event in events):
        return [{}] * (len(events) - 1)
    return [_outcome(event) for event in events]


@handler("order.awaited", batch=3)
async def awaited(events: list[Event], lookups: object) -> list[Any]:
    _note(events)
    return [_outcome(event) for event in events]


@handler("order.single")
def single(event: Event, lookups: object) -> dict[str, Any]:
    return _outcome(event)


def _outcome(event: Event) -> Any:
    if event.data.get("do") == "refuse":
        return Refused(f"order {event.data['order_id']}")
    return {"order_id": event.data["order_id"]}


def _obey(do: str | None) -> None:
    match do:
        case "raise":
            raise Refused("the whole list")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            raise SystemExit(3)
        case "sleep":
            time.sleep(30)
        case "hang":
            while True:
                try:
                    time.sleep(30)
                except BaseException:  # noqa: S112
                    continue


def _note(events: list[Event]) -> None:
    with open(os.environ["OVERLAP_LOG"], "a") as file:
        file.write(json.dumps([event.data["order_id"] for event in events]) + "\n")
