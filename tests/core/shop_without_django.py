"""Handlers of a program that has no Django."""

from dlqconsole.processing import handler


@handler("orders")
def ship(event, lookups):
    return {"shipped": event.data["id"], "weight": 10 // event.data["parcels"]}


@handler("parcels", batch=10)
def ship_all(events, lookups):
    return [{"shipped_with": len(events)} for _event in events]
