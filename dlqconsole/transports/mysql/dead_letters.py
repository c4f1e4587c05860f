"""A MySQL message becomes a dead letter: first kept in PostgreSQL, and committed there, then removed.

Two databases share no transaction, so the same message may come here twice: ``keep_once`` recognises it.
"""

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import keep_marked
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
    letter = dead_letter_of(message, identity, failure, status, f"held by {row['owner']}")
    mark = f"sent {row['sent']}"
    return keep_marked(f"mysql:{message.queue}", letter, mark, f"{mark} UTC", float(row["held_seconds"]))
