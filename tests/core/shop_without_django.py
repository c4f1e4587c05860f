"""Handlers of a program that has no Django."""

from dlqconsole.processing import handler


@handler("orders")
def ship(event, lookups):
    return {"shipped": event.data["id"], "weight": 10 // event.data["parcels"]}
