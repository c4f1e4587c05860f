"""Claiming messages: each is ours until its lease runs out."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from dlqconsole.core import prepared
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.core.messages import rate
from dlqconsole.core.messages.choices import TypeChoice
from dlqconsole.core.messages.policies import policy
from dlqconsole.core.messages.staging import stage_queue
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
    unlogged: bool = False


def claim(
    queue: str,
    limit: int,
    owner: str,
    lease_seconds: float,
    *,
    condition: Mapping[str, Any] | None = None,
) -> list[MessageClaim]:
    """Claim up to ``limit`` due messages of a queue that is not paused, in order. Counts the attempt.

    Messages of dead consumers, whose leases ran out, are among them; those come one by one. ``condition``
    claims only messages whose payload contains it, as ``payload @> condition`` says; it is looked for from
    the queue's start, message by message. Scheduled messages that have come due are claimed when nothing else
    is there, whether or not a consumer runs.
    """

    def once() -> list[MessageClaim]:
        with prepared.pipeline():
            claims = begin_claim(queue, limit, owner, lease_seconds, condition=condition)
        return claims()

    return with_what_came_due(queue, limit, once)


def with_what_came_due(queue: str, limit: int, take: Callable[[], list[MessageClaim]]) -> list[MessageClaim]:
    """Call ``take``. Where that is too little, messages that are due become claimable for the next time.

    That is now where it took nothing; else a dead consumer's message may be among it, which comes alone.
    """
    claims = take()
    if len(claims) < limit and stage_queue(queue) and not claims:
        claims = take()
    return claims


def begin_claim(
    queue: str,
    limit: int,
    owner: str,
    lease_seconds: float,
    *,
    place: tuple[int, int] = START,
    condition: Mapping[str, Any] | None = None,
    choice: TypeChoice | None = None,
) -> Callable[[], list[MessageClaim]]:
    """Claim inside ``prepared.pipeline``; call the returned function when that has ended.

    ``place``, a turn and an id, is where to begin; ``choice`` says of which event types.
    """
    queue_policy = policy(queue)
    allowance = rate.take(queue, limit, queue_policy.rate_limit)
    values = {
        "queue": queue,
        "owner": owner,
        "lease": lease_seconds,
        "from_turn": place[0],
        "from_id": place[1],
        "condition": _json(condition),
    }
    contains = "" if condition is None else "AND m.payload @> %(condition)s::jsonb"
    if choice is not None:
        contains, values = f"{contains} {choice.condition}", values | choice.values
    rows = prepared.run(claim_text("messages.claim", allowance, queue_policy.unlogged, contains), values)

    def claims() -> list[MessageClaim]:
        batch = as_claims(queue, rows(), queue_policy.unlogged)
        rate.give_back(queue, allowance - len(batch), queue_policy.rate_limit)
        return batch

    return claims


@cache
def claim_text(name: str, limit: int, is_unlogged: bool, condition: str = "") -> str:
    """Return the statement for one kind of queue and one limit."""
    tables = "message_queue" if is_unlogged else "ONLY message_queue"
    return sql(name).format(
        messages=tables,
        limit=int(limit),
        condition=condition,
        first_of_its_group=sql("messages.first_of_its_group").format(messages=tables),
    )


def as_claims(queue: str, rows: Sequence[tuple[Any, ...]], is_unlogged: bool) -> list[MessageClaim]:
    """Return the claims of a statement's rows, in the queue's order."""
    claims = [
        MessageClaim._make(
            (row[0], queue, *row[1:3], {} if row[3] == "{}" else read_headers(row[3]), *row[4:], is_unlogged)
        )
        for row in rows
    ]
    # RETURNING keeps no order
    claims.sort(key=lambda claim: (claim.turn, claim.id))
    return claims


def _json(condition: Mapping[str, Any] | None) -> str | None:
    if condition is None:
        return None
    text = orjson.dumps(condition)
    if decode(text).state != "ok":
        raise InvalidFilter(["The condition is not JSON that a payload can contain."])
    return text.decode()
