"""Handlers whose every call and every effect can be counted afterwards, in the database that they serve.

``calls`` has a row for each time the handler began; ``effects`` has at most one for each message, under the
idempotency key that the event offers. What the event's data says is what happens to it.
"""

import os
import time
from typing import Any

import psycopg
from django.db import connection

from dlqconsole.processing import BusinessError, TransientError, handler
from dlqconsole.processing.events import Event

TABLES = """
    CREATE TABLE calls (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, call uuid UNIQUE NOT NULL,
        message text NOT NULL, key text NOT NULL, group_key text, pid int NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX ON calls (message);
    CREATE TABLE effects (
        message text PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY, key text NOT NULL,
        group_key text, place int, pid int NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE produced (key text PRIMARY KEY);
"""
# As a program would that writes somewhere else: it knows nothing of the queue's transactions.
CALLED = """
    WITH earlier AS (SELECT count(*) AS n FROM calls WHERE message = %(message)s AND call <> %(call)s),
    called AS (
        INSERT INTO calls (call, message, key, group_key, pid)
        VALUES (%(call)s, %(message)s, %(key)s, %(group)s, %(pid)s) ON CONFLICT DO NOTHING
    ), done AS (
        INSERT INTO effects (message, key, group_key, place, pid)
        SELECT %(message)s, %(key)s, %(group)s, %(place)s, %(pid)s FROM earlier
        WHERE n >= %(failing)s ON CONFLICT DO NOTHING
    )
    SELECT n FROM earlier
"""
PATIENCE = 60.0

_session: psycopg.Connection[Any] | None = None


class Refused(BusinessError):
    """No attempt will ever succeed."""


class Hiccup(TransientError):
    """The next attempt may succeed."""


@handler("chaos")
def chaos(event: Event, lookups: object) -> dict[str, Any]:
    data = event.data
    doing = data.get("do")
    time.sleep(data.get("before", 0.0))
    failing = {"refuse": 1_000_000, "crash": 1_000_000, "say": 1_000_000, "stumble": 1}.get(doing, 0)
    earlier = _called(event, failing)
    time.sleep(data.get("after", 0.0))
    match doing:
        case "crash":
            os._exit(9)
        case "refuse":
            raise Refused(f"{data['key']} is refused")
        case "stumble" if earlier == 0:
            raise Hiccup(f"{data['key']} stumbles once")
        case "say":
            raise Hiccup(WORDS[data["word"]])
    return {"key": data["key"]}


WORDS = {
    "huge": "x" * 5_000_000,
    "nul": "before\x00after",
    "surrogate": "half a \ud83d character",
    "bytes": b"\xff\xfe\x00".decode("utf-8", "surrogateescape"),
    "control": "\x1b[31mred\x07\u202eevil",
}


def _called(event: Event, failing: int) -> int:
    values = {
        "call": os.urandom(16).hex(),
        "message": event.id,
        "key": event.data["key"],
        "group": event.data.get("group"),
        "place": event.data.get("place"),
        "pid": os.getpid(),
        "failing": failing,
    }
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _connect().execute(CALLED, values).fetchone()[0]
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            _disconnect()
            time.sleep(0.1)


def _connect() -> psycopg.Connection[Any]:
    global _session
    if _session is None:
        _session = psycopg.connect(os.environ["FAULTS_EFFECTS_URL"], autocommit=True)
    return _session


def _disconnect() -> None:
    global _session
    if _session is not None:
        _session.close()
    _session = None


@handler("nothing")
def nothing(event: Event, lookups: object) -> dict[str, Any]:
    return {}


@handler("once")
def once(event: Event, lookups: object) -> dict[str, Any]:
    """Writes through the engine's own connection: with --transactional there is one row for each message."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO calls (call, message, key, pid) VALUES (gen_random_uuid(), %s, '', %s)",
            [event.id, os.getpid()],
        )
    time.sleep(0.005)
    return {}
