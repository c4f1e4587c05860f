"""Putting messages on a queue, one or a million, in the caller's transaction."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched
from operator import attrgetter
from typing import Any

import orjson

from dlqconsole.core import prepared
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.messages import copying
from dlqconsole.core.messages.queues import policy, refusal_to_send
from dlqconsole.core.settings import limits
from dlqconsole.core.sql import sql
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.payloads import decode

LONGEST_DELAY = timedelta(days=36_500).total_seconds()
PAGE = 1000
# From here on COPY is faster than one INSERT of arrays.
COPY_FROM = 50
# Characters of payloads that are sent as one JSON array; jsonb itself ends at 256 MB.
ARRAY_LIMIT = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to send. ``payload`` is JSON text.

    ``delay``: seconds, or the moment (with its time zone) before which it is not claimable. The higher
    ``priority``, the sooner. Two live messages of a queue never share a ``dedupe_key``: the second is not
    sent. Those of one ``group_key`` are handled one at a time, in the order in which they were sent.
    """

    payload: bytes | str
    headers: Mapping[str, Any] | None = None
    delay: float | datetime = 0.0
    priority: int = 0
    dedupe_key: str | None = None
    group_key: str | None = None


# Most messages are only a payload; for them the rest need not be looked at.
_REST = attrgetter("headers", "delay", "priority", "dedupe_key", "group_key")
_USUAL = (None, 0.0, 0, None, None)
_USUAL_ROW = {
    "usual": True,
    "headers": "{}",
    "priority": 0,
    "delay": 0.0,
    "at": None,
    "dedupe_key": None,
    "group_key": None,
}


def send(
    queue: str,
    payload: bytes | str,
    headers: Mapping[str, Any] | None = None,
    **more: Any,
) -> int | None:
    """Put one message on a queue. Return its id, or None when a live message has its ``dedupe_key``.

    ``more`` are the further fields of NewMessage. Raises InvalidMessage, with a sentence, for a payload that
    is not JSON or larger than the settings allow, and for every other value that cannot be sent.
    """
    queue_policy = policy(check_queue(queue))
    row = _row(NewMessage(payload, headers, **more), limits())
    if _is_usual(row):
        statement, values = "messages.send", {"payload": row["payload"]}
    else:
        statement, values = "messages.send_specially", row
    rows = prepared.run(_text(statement, queue_policy.unlogged), {"queue": queue, **values})()
    return int(rows[0][0]) if rows else None


def send_many(queue: str, messages: Iterable[NewMessage]) -> int:
    """Put messages on a queue in their order. Return the number sent, without those whose dedupe key lives.

    All or none: in the caller's transaction, else in one of its own. Raises InvalidMessage, which names the
    message by its place (1 is the first).
    """
    queue_policy = policy(check_queue(queue))
    bounds = limits()
    rows = [_numbered_row(number, message, bounds) for number, message in enumerate(messages, start=1)]
    if all(map(_is_usual, rows)) and len(rows) <= PAGE and sum(map(_size, rows)) <= ARRAY_LIMIT:
        payloads = f"[{','.join([row['payload'] for row in rows])}]"
        values = {"queue": queue, "payloads": payloads}
        return len(prepared.run(_text("messages.send_usual", queue_policy.unlogged), values)())
    if len(rows) >= COPY_FROM and not any(row["dedupe_key"] for row in rows):
        return copying.copy(queue, rows, queue_policy.unlogged)
    statement = _text("messages.send_many", queue_policy.unlogged)
    with prepared.pipeline():
        pages = [prepared.run(statement, {"queue": queue, **_columns(page)}) for page in batched(rows, PAGE)]
    return sum(len(rows()) for rows in pages)


def _is_usual(row: dict[str, Any]) -> bool:
    return row["usual"] and row["payload_raw"] is None


def _size(row: dict[str, Any]) -> int:
    return len(row["payload"])


def check_queue(queue: str) -> str:
    """Return the queue's name, if messages can stand under it. Raises InvalidMessage."""
    if why := refusal_to_send(queue):
        raise InvalidMessage(why)
    return queue


def _numbered_row(number: int, message: NewMessage, bounds: Limits) -> dict[str, Any]:
    try:
        return _row(message, bounds)
    except InvalidMessage as error:
        raise InvalidMessage(f"Message {number}: {error}") from error


def _row(message: NewMessage, bounds: Limits) -> dict[str, Any]:
    content = decode(message.payload, bounds)
    if content.state != "ok":
        raise InvalidMessage(f"The payload cannot be sent: {content.problem}.")
    # text in, text out: the server parses what the producer wrote, no float of ours in between
    body = {"payload": content.json_text, "payload_raw": content.raw}
    if _REST(message) == _USUAL:
        return body | _USUAL_ROW
    if not -32_767 <= message.priority <= 32_767:
        raise InvalidMessage(f"A priority is between -32767 and 32767, not {message.priority}.")
    seconds, at = _moment(message.delay)
    return {
        "usual": False,
        **body,
        "headers": _headers(message.headers),
        "priority": message.priority,
        "delay": seconds,
        "at": at,
        "dedupe_key": _key("dedupe key", message.dedupe_key),
        "group_key": _key("group key", message.group_key),
    }


def _moment(delay: float | datetime) -> tuple[float, datetime | None]:
    if isinstance(delay, datetime):
        if delay.tzinfo is None:
            raise InvalidMessage(f"The moment {delay} names no time zone.")
        if not 1900 < delay.year < 9999:
            raise InvalidMessage(f"A message cannot be sent for the year {delay.year}.")
        return 0.0, delay
    if not math.isfinite(delay) or not 0 <= delay <= LONGEST_DELAY:
        raise InvalidMessage(f"A delay is 0 seconds to 100 years, not {delay:g} seconds.")
    return float(delay), None


def _headers(headers: Mapping[str, Any] | None) -> str:
    if not headers:
        return "{}"
    try:
        text = orjson.dumps(dict(headers))
    except (TypeError, ValueError) as error:
        raise InvalidMessage(f"The headers cannot be written as JSON: {error}.") from error
    if decode(text).state != "ok":
        raise InvalidMessage(f"The headers cannot be stored: {decode(text).problem}.")
    return text.decode()


def _key(what: str, value: str | None) -> str | None:
    if value is not None and (not value or len(value) > 255 or "\x00" in value):
        raise InvalidMessage(f"A {what} has 1 to 255 characters and no NUL.")
    return value


def _text(name: str, is_unlogged: bool) -> str:
    return sql(name).format(table="message_queue_unlogged" if is_unlogged else "message_queue")


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    names = {
        "payload": "payloads",
        "payload_raw": "payloads_raw",
        "headers": "headers",
        "priority": "priorities",
        "delay": "delays",
        "at": "moments",
        "dedupe_key": "dedupe_keys",
        "group_key": "group_keys",
    }
    return {plural: [row[name] for row in rows] for name, plural in names.items()}
