"""Handlers of revived dead letters: each leaves a row for every call, and does what its data says.

A row's ``message`` is the event's id, the same for every revival of a dead letter; its ``key`` is what
happened.
"""

import os
import time
from typing import Any

import psycopg

from dlqconsole.processing import BusinessError, TransientError, handler
from dlqconsole.processing.events import Event
from tests.faults.letters import QUEUES

CALLED = """
    INSERT INTO calls (call, message, key, pid)
    SELECT %(call)s, %(message)s,
        CASE WHEN %(doing)s = 'stumble' AND NOT EXISTS (SELECT FROM calls WHERE message = %(message)s)
            THEN 'stumbled' ELSE 'ended' END,
        %(pid)s
    ON CONFLICT (call) DO UPDATE SET pid = excluded.pid
    RETURNING key
"""
PATIENCE = 60.0

_session: psycopg.Connection[Any] | None = None


class Refused(BusinessError):
    """No attempt will ever succeed."""


class Hiccup(TransientError):
    """The next attempt may succeed."""


def handle(event: Event, lookups: object) -> dict[str, Any]:
    doing = event.data.get("do")
    happened = _called(event, doing)
    if happened == "stumbled":
        raise Hiccup("it stumbles once")
    if doing == "refuse":
        raise Refused("it is refused")
    return {"place": event.data["place"]}


for _queue in QUEUES:
    handler(_queue)(handle)


def _called(event: Event, doing: str | None) -> str:
    """Note this call, once, whatever happens to our session; and what it is to come to."""
    global _session
    values = {"call": os.urandom(16).hex(), "message": event.id, "doing": doing, "pid": os.getpid()}
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if _session is None:
                _session = psycopg.connect(os.environ["FAULTS_EFFECTS_URL"], autocommit=True)
                _session.execute("SET synchronous_commit = off")
            return _session.execute(CALLED, values).fetchone()[0]
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            if _session is not None:
                _session.close()
            _session = None
            time.sleep(0.1)
