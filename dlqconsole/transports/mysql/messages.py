"""The contents of MySQL queues, outgoing and incoming, and how a message becomes a dead letter.

A foreign producer may have written anything. A dead letter is kept in PostgreSQL and committed there, then
the message is removed. Two databases share no transaction, so the same message may come here twice:
``keep_once`` recognises it.
"""

import json
from collections.abc import Mapping
from typing import Any

from dlqconsole.core.errors import InvalidMessage, UnknownQueue
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.settings import limits
from dlqconsole.processing.outcomes import Failed
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.texts import sanitise_text
from dlqconsole.transports.dead_letters import keep_marked
from dlqconsole.transports.mysql.connection import Cursor
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.source import Delivery, dead_letter_of, lease_lost
from dlqconsole.transports.sql import sql

NAME_LIMIT = 64
KEY_LIMIT = 255
UNREADABLE_HEADERS = "x-unreadable-headers"


def check_name(queue: str) -> str:
    """Return the name, if a queue may have it. Raises InvalidMessage."""
    # MySQL compares without trailing spaces: 'orders ' would be 'orders'
    if not 1 <= len(queue) <= NAME_LIMIT or not queue.isprintable() or queue != queue.strip():
        raise InvalidMessage(
            f"A MySQL queue's name has 1 to {NAME_LIMIT} printable characters and no spaces around it."
        )
    return queue


def check_queue(queue: str) -> str:
    """Return the name, if there can be such a queue. Raises UnknownQueue."""
    try:
        return check_name(queue)
    except InvalidMessage as error:
        raise UnknownQueue(f"There is no such queue: {error}") from None


def outgoing(
    queue: str,
    payload: bytes | str,
    headers: Mapping[str, str] | None,
    delay_seconds: float,
    dedupe_key: str | None,
) -> dict[str, Any]:
    """Return the values of a row to send. Raises InvalidMessage."""
    sendable(payload)
    if dedupe_key is not None and not 1 <= len(dedupe_key) <= KEY_LIMIT:
        raise InvalidMessage(f"A dedupe key has 1 to {KEY_LIMIT} characters.")
    return {
        "queue": check_name(queue),
        "message": payload.encode() if isinstance(payload, str) else bytes(payload),
        "headers": sendable_headers(headers) if headers else None,
        "delay": microseconds(sendable_delay(delay_seconds)),
        "dedupe_key": dedupe_key,
    }


def incoming(row: Mapping[str, Any], queue: str, token: str) -> Delivery:
    """Return the message of a claimed row. An undecodable payload is delivered as its exact bytes."""
    message = row["message"]
    raw = message.encode() if isinstance(message, str) else bytes(message)
    content = decode(raw, limits())
    return Delivery(
        id=str(row["id"]),
        queue=queue,
        payload=content.json_text,
        payload_raw=content.raw,
        headers=_headers(row["headers"]),
        attempts=row["attempts"] + 1,
        receipt=token,
    )


def microseconds(seconds: float) -> int:
    """Convert a duration for MySQL's INTERVAL … MICROSECOND."""
    return round(seconds * 1_000_000)


def _headers(text: str | bytes | None) -> dict[str, Any]:
    """Return headers that PostgreSQL can keep; unreadable ones as text under a name of ours."""
    if text is None:
        return {}
    copy = decode(text, limits()).json_text
    value = json.loads(copy) if copy else None
    if isinstance(value, dict):
        return value
    plain = text if isinstance(text, str) else bytes(text).decode(errors="replace")
    return {UNREADABLE_HEADERS: sanitise_text(plain)}


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
