"""A MySQL message becomes a dead letter: first kept in PostgreSQL, and committed there, then removed.

Two databases share no transaction, so the same message may come here twice: ``keep_once`` recognises it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import keep_once
from dlqconsole.transports.mysql.connection import Cursor
from dlqconsole.transports.source import Delivery, dead_letter_of, lease_lost
from dlqconsole.transports.sql import sql


def keep_locked(
    cursor: Cursor, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
) -> int:
    """Lock the message in MySQL, commit its dead letter in PostgreSQL. Return the dead letter's id.

    Raises LeaseLost, and then nothing was changed. Must not run inside another PostgreSQL transaction.
    """
    cursor.execute(sql("mysql.held_by"), {"id": int(message.id), "token": message.receipt})
    row = cursor.fetchone()
    if row is None:
        raise lease_lost(message)
    queue = f"mysql:{message.queue}"
    identity, again = _identities(message, identity, queue, row)
    letter = dead_letter_of(message, identity, failure, status, f"held by {row['owner']}")
    return keep_once(
        queue,
        letter,
        f"{queue}/{message.id} sent {row['sent']} UTC",
        again=again,
        held_seconds=float(row["held_seconds"]),
    )


def _identities(
    message: Delivery, identity: Identity, queue: str, row: Mapping[str, Any]
) -> tuple[Identity, Identity]:
    """Return the event's identity, and the one to use if that name is taken.

    A message that does not name itself is known by its queue and id. An id may come again, after a TRUNCATE:
    then it is another message, and its dead letter one of its own.
    """
    if identity.source != queue or identity.source_key != message.id:
        return identity, identity
    return identity, replace(identity, source_key=f"{message.id} sent {row['sent']}")
