"""The contents of PGMQ queues, as messages and as dead letters. Users may have put anything there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import NewDeadLetter
from dlqconsole.transports.pgmq.tables import Tables
from dlqconsole.transports.revivals import revival
from dlqconsole.transports.source import Delivery
from dlqconsole.transports.sql import sql


def messages(tables: Tables, name: str, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return messages of the queue that we call ``name``, as they stand, in order."""
    return fetch_dicts(tables.within("pgmq.messages"), {"name": name, "ids": list(ids)})


def put_away(tables: Tables, ids: Sequence[int]) -> None:
    """Archive messages. One with a copy in the archive already only leaves the queue."""
    copies = set(fetch_column(tables.within("pgmq.archived"), {"ids": list(ids)}))
    for query, subset in (("pgmq.delete", copies), ("pgmq.archive", set(ids) - copies)):
        if subset:
            fetch_column(sql(query), {"queue": tables.name, "ids": sorted(subset)})


def new_dead_letter(
    name: str,
    row: Mapping[str, Any],
    identity: Identity,
    failure: Failed,
    status: DeadLetterStatus,
    failed_at: datetime | None = None,
) -> NewDeadLetter:
    """Return the dead letter that a row of ``messages`` becomes. A NULL message has no bytes either."""
    if row["reused"] and (identity.source, identity.source_key) == (name, str(row["id"])):
        identity = replace(identity, source_key=f"{row['id']} sent {row['enqueued_at'].isoformat()}")
    headers = _object(row["headers"])
    return NewDeadLetter(
        message_id=str(row["id"]),
        payload=row["payload"],
        payload_raw=None if row["payload"] is not None else b"",
        headers=headers,
        identity=identity,
        failure=failure,
        status=status,
        revival=revival(read_headers(headers)),
        attempts=row["attempts"],
        failed_at=failed_at,
    )


def as_message(queue: str, row: Mapping[str, Any]) -> Delivery:
    """Return a row of ``messages`` or of a read, as consumers see it."""
    payload = row["payload"]
    return Delivery(
        id=str(row["id"]),
        queue=queue,
        payload=payload,
        payload_raw=None if payload is not None else b"",
        headers=read_headers(_object(row["headers"])),
        attempts=row["attempts"],
        receipt=row["attempts"],
    )


def _object(headers: str | None) -> str:
    """Return headers as an object: PGMQ lets them be any JSON."""
    if headers is None or headers == "null":
        return "{}"
    return headers if headers.startswith("{") else f'{{"headers": {headers}}}'
