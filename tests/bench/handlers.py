"""The handler that our full consumer runs while it is measured: it does nothing but return its record."""

from typing import Any

from dlqconsole.processing import handler
from dlqconsole.processing.events import Event


@handler("bench")
def bench(event: Event, lookups: object) -> dict[str, Any]:
    return {"order_id": event.data["order_id"]}
