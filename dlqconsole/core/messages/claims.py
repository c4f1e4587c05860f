"""Claiming messages: each is ours until its lease runs out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from dlqconsole.core import prepared
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.core.sql import sql
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.payloads import decode

# The place before every message: turns, which are priorities times -2, are -65534 to 65537.
START = (-65_535, 0)


class MessageClaim(NamedTuple):
    """A message that this consumer holds, until its lease runs out.

    ``payload`` is JSON text, None where only the exact bytes ``payload_raw`` are there. ``retry_count``:
    attempts begun, this one included. ``lease_token``: shared by what was claimed together. ``crash_count``:
    how often a consumer died with it. ``archives``: its queue keeps what was completed.
    ``turn``: where it stands in the queue's order, before its id.
    """

    id: int
    queue: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    retry_count: int
    max_retries: int | None
    lease_token: UUID
    dlq_event_id: int | None
    crash_count: int = 0
    group_key: str | None = None
    priority: int = 0
    archives: bool = False
    turn: int = 0


@dataclass(frozen=True, slots=True)
class TypeChoice:
    """The messages that a claim takes, by event type: all but some, or ``only`` some.

    Of ``again_without`` only messages that were never tried are taken. A message without JSON is taken, too:
    a statement cannot tell its type, and the consumer looks again.
    """

    without: tuple[str, ...] = ()
    again_without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, list[str] | None]:
        """The parameters of the claim's statement."""
        return {
            "without_types": None if self.only else list(self.without),
            "again_without_types": list(self.again_without),
            "only_types": list(self.only) or None,
        }


def claim(
    queue: str,
    limit: int,
    owner: str,
    lease_seconds: float,
    *,
    condition: Mapping[str, Any] | None = None,
) -> list[MessageClaim]:
    """Claim up to ``limit`` due messages of a queue that is not paused, in order. Counts the attempt.

    Messages of dead consumers, whose leases ran out, are among them; those come one by one, and what has
    stopped its consumers too often is quarantined instead. ``condition`` claims only messages whose payload
    contains it, as ``payload @> condition`` says; it is sought from the queue's start, message by message.
    """
    values = {"queue": queue, "limit": limit, "lease": lease_seconds, "owner": owner}
    rows = prepared.run(sql("messages.claim"), values | {"condition": _json(condition)})
    return as_claims(queue, rows())


def pop(queue: str, limit: int = 1, owner: str = "") -> list[MessageClaim]:
    """Take up to ``limit`` due messages off the queue for good: at most once, lost if this process dies.

    Nothing can be given back, retried or dead-lettered. Use ``claim`` for what must not be lost. A revived
    dead letter among them has SUCCEEDED, and its story names ``owner``, else the database's account.
    """
    return as_claims(
        queue, prepared.run(sql("messages.pop"), {"queue": queue, "limit": limit, "owner": owner})()
    )


def take(values: Mapping[str, Any], choice: TypeChoice | None = None) -> list[tuple[Any, ...]]:
    """Claim, as ``QueueReader`` says; return the rows. ``choice`` says of which event types.

    For consumers that do their chores themselves.
    """
    if choice is None:
        return prepared.run(sql("messages.take"), values)()
    return prepared.run(sql("messages.take_chosen"), {**values, **choice.values})()


def as_claims(queue: str, rows: Sequence[tuple[Any, ...]]) -> list[MessageClaim]:
    """Return the claims of a statement's rows."""
    return [
        MessageClaim._make(
            (number, queue, text, raw, {} if headers == "{}" else read_headers(headers), *more)
        )
        for number, text, raw, headers, *more in rows
    ]


def _json(condition: Mapping[str, Any] | None) -> str | None:
    if condition is None:
        return None
    text = orjson.dumps(condition)
    if decode(text).state != "ok":
        raise InvalidFilter(["The condition is not JSON that a payload can contain."])
    return text.decode()
