"""The same in Python, for the consumer that runs handlers."""

import os

import psycopg

from dlqconsole.processing import handler
from dlqconsole.processing.events import Event

_sessions: list[psycopg.Connection] = []
KEPT = "INSERT INTO handled (n) VALUES (%s) ON CONFLICT DO NOTHING"


@handler("orders")
def handle(event: Event, _lookups: object) -> None:
    if not _sessions or _sessions[0].closed:
        _sessions[:] = [psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)]
    _sessions[0].execute(KEPT, [event.data["n"]])
