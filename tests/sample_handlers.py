"""Handlers that the tests drive: what an event's data says is what happens to it."""

import os
import sys
import time
from contextlib import suppress
from typing import Any

import psycopg
from django.db import Error, connection, transaction

from dlqconsole.processing import BusinessError, DependencyError, MissingData, TransientError, handler
from dlqconsole.processing.events import Event

_WRITE = "INSERT INTO shedlock VALUES ('written', now(), now(), 'a handler')"


class PlaneUnknown(BusinessError):
    """The registry does not know this plane."""


class BillingAway(DependencyError):
    """The billing service does not answer."""


class RateMissing(MissingData):
    """There is no rate for that day yet."""


class Hiccup(TransientError):
    """It will work in a moment."""


def _obey(data: dict[str, Any]) -> None:
    match data.get("do"):
        case "business":
            raise PlaneUnknown(f"tailnum {data.get('tailnum', 'N1')} is not in the planes table")
        case "missing":
            raise RateMissing("no rate for today yet")
        case "dependency":
            raise BillingAway("billing answered 503")
        case "transient":
            raise Hiccup("try again")
        case "crash" | "hang" | "leak" | "exit" as how:
            _harm_the_process(how)
        case "sleep":
            time.sleep(float(data["seconds"]))
        case "close":
            connection.close()
        case "begin":
            transaction.atomic().__enter__()
        case "swallow" | "leave open" | "write" | "write quietly" | "write elsewhere" as how:
            _use_the_database(how, data)
        case "until":  # fails until a file is there
            if not os.path.exists(data["path"]):
                raise BillingAway(f"{data['path']} is not there yet")


def _use_the_database(how: str, data: dict[str, Any]) -> None:
    if how in ("write quietly", "write elsewhere"):
        _write_and_tell_nobody(how, data)
        return
    if how == "leave open":
        if connection.in_atomic_block:
            raise PlaneUnknown("somebody's transaction is still open")
        transaction.atomic().__enter__()
    if how == "write":  # what a rehearsal must not do
        with connection.cursor() as cursor:
            cursor.execute(_WRITE)
    # an error of the database that nobody is told of
    with suppress(Error), connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def _write_and_tell_nobody(how: str, data: dict[str, Any]) -> None:
    """What the database says is caught: by Django's connection, or by one with options of its own."""
    if how == "write quietly":
        with suppress(Error), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_WRITE)
        return
    url = data.get("url") or os.environ["DATABASE_URL"]
    with suppress(psycopg.Error), psycopg.connect(url, options="-c search_path=public") as own:
        own.execute(data.get("sql", _WRITE))


def _harm_the_process(how: str) -> None:
    match how:
        case "crash":
            os._exit(9)
        case "exit":
            sys.exit("it has had enough")
        case "leak":
            print(len([bytes(10**7) for _ in range(10**6)]))
        case "hang":
            while True:  # and lets nobody stop it: what interrupts it finds it asleep
                with suppress(BaseException):
                    time.sleep(60)


@handler("order.created", rehearsable=True)
def created(event: Event, lookups: object) -> dict[str, Any]:
    if not (event.rehearsal and event.data.get("leaves_out")):
        _obey(event.data)
    return {"order_id": event.data.get("order_id"), "handled": True}


@handler(
    "order.checked",
    schema={"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}},
)
def checked(event: Event, lookups: object) -> dict[str, Any]:
    return {"total": event.data["total"]}


@handler("order.keyed", business_key="data.order_id")
def keyed(event: Event, lookups: object) -> dict[str, Any]:
    return {"order_id": event.data["order_id"]}
