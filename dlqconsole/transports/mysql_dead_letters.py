"""A MySQL message becomes a dead letter: first kept in PostgreSQL, and committed there, then removed.

Two databases share no transaction, so the same message may come here twice. It is one dead letter and one
occurrence, however often it was delivered: ``dlq_attempts.worker`` names the message, and is looked at first.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.identities import EVENT_ID, REVIVE_SEQ, revival
from dlqconsole.transports.keeping import Burial, keep
from dlqconsole.transports.mysql_connection import Cursor
from dlqconsole.transports.protocol import Delivery
from dlqconsole.transports.sql import sql


def keep_locked(
    cursor: Cursor, delivery: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
) -> int:
    """Lock the message in MySQL and commit its dead letter in PostgreSQL; the dead letter's id.

    Raises LeaseLost, and then nothing was changed. Must not run inside another PostgreSQL transaction: the
    message would be removed before its dead letter is committed.
    """
    cursor.execute(sql("mysql.held_by"), {"id": delivery.id, "token": delivery.token})
    row = cursor.fetchone()
    if row is None:
        raise LeaseLost(f"The lease on message {delivery.id} ran out; its failure was not recorded.")
    queue = f"mysql:{delivery.queue}"
    message = f"{queue}/{delivery.id} sent {row['sent']} UTC"
    with transaction.atomic(durable=True):
        before = _recall(delivery, identity, queue, message, row)
        if before["known"] is not None:
            return int(before["known"])
        burial = Burial(
            message_id=delivery.id,
            payload=delivery.payload,
            payload_raw=delivery.payload_raw,
            headers=_kept_headers(delivery.headers),
            identity=before["identity"],
            failure=failure,
            status=status,
            revival=revival(delivery.headers),
            worker=f"{message}, held by {row['owner']}",
            failed_at=before["failed_at"],
        )
        return keep(queue, [burial])[delivery.id]


def _recall(
    delivery: Delivery, identity: Identity, queue: str, message: str, row: Mapping[str, Any]
) -> dict[str, Any]:
    """What PostgreSQL knows of the message already, and the identity to keep it under."""
    identity, again = _identities(delivery, identity, queue, row)
    revived = revival(delivery.headers)
    values = {
        "message": message,
        "dlq_event_id": revived and revived[0],
        "source": identity.source,
        "source_key": identity.source_key,
        "source_key_again": again.source_key,
        "held_seconds": float(row["held_seconds"]),
    }
    fetch_column(sql("mysql_dead_letters.alone"), values)
    [before] = fetch_dicts(sql("mysql_dead_letters.recall"), values)
    return {**before, "identity": again if before["taken"] else identity}


def _identities(
    delivery: Delivery, identity: Identity, queue: str, row: Mapping[str, Any]
) -> tuple[Identity, Identity]:
    """Who the event is, and who it is when that name is taken.

    A message that does not name itself is known by its queue and id. An id may come again, after a TRUNCATE:
    then it is another message, and its dead letter one of its own.
    """
    by_position = (queue, f"queue:{queue}", f"queue:{delivery.queue}")
    if identity.source not in by_position or identity.source_key != str(delivery.id):
        return identity, identity
    return (
        replace(identity, source=queue),
        replace(identity, source=queue, source_key=f"{delivery.id} sent {row['sent']}"),
    )


def _kept_headers(headers: Mapping[str, Any]) -> str:
    """The producer's headers; ours are about one revival, and would mislead in a later one."""
    return json.dumps({name: value for name, value in headers.items() if name not in (EVENT_ID, REVIVE_SEQ)})
