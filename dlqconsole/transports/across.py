"""The relay's steps for a queue in another database, which cannot commit together with ours.

Everything is done there first, in a way that may be repeated, and recorded here after. Who dies in between
leaves our row as it was, and the next relay does it again without a second message.
"""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from django.db import transaction

from dlqconsole.engine.consuming.consumer import owner_name
from dlqconsole.engine.errors import InvalidMessage
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.headers import UnreadableHeaders, read_headers
from dlqconsole.transports.beginning import hold, make_due
from dlqconsole.transports.exhausted import bury
from dlqconsole.transports.identities import EVENT_ID, REVIVE_SEQ
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.protocol import Delivery, Transport
from dlqconsole.transports.refusals import refuse
from dlqconsole.transports.registry import transport_of
from dlqconsole.transports.sql import sql

# Our rows are locked while the other system answers, so a page is small.
PAGE = 50
# PostgreSQL ends a session that says nothing for a minute inside its transaction.
SENDING_SECONDS = 20.0
BURIAL_LEASE_SECONDS = 60.0


class Repeatable(Transport, Protocol):
    """What the relay asks of a transport beside the protocol."""

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> int:
        """Send once, however often it is called with the same key; the first message's id."""
        ...

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Claim visible messages that were claimed more often than that."""
        ...

    def still_there(self, queue: str, ids: list[int]) -> set[int]:
        """Those of the messages that have not left the queue."""
        ...


def forward(queue: AttachedQueue, limit: int) -> int:
    """Put what our queue holds for it on the other system's queue; how many rows left ours."""
    transport = _transport(queue)
    with transaction.atomic():
        hold(queue)
        make_due(queue, limit)
        rows = fetch_dicts(sql("relay.due"), {"name": queue.name, "limit": min(limit, PAGE)})
        sent: list[tuple[dict[str, Any], int]] = []
        refused: list[tuple[Mapping[str, Any], str]] = []
        deadline = time.monotonic() + SENDING_SECONDS
        for row in rows:
            if time.monotonic() > deadline:
                break
            try:
                sent.append((row, _send(transport, queue.remote_name, row)))
            except InvalidMessage as error:
                refused.append((row, str(error)))
        _note(queue, sent)
        refuse(queue, refused)
        return len(sent) + len(refused)


def bury_exhausted(queue: AttachedQueue, limit: int) -> int:
    """Write the dead letters of what was given out too often; how many."""
    transport = _transport(queue)
    claimed = transport.claim_exhausted(
        queue.remote_name, queue.max_deliveries, min(limit, PAGE), owner_name(), BURIAL_LEASE_SECONDS
    )
    return sum(bury(transport, queue, delivery) for delivery in claimed)


def watch(queue: AttachedQueue, limit: int) -> int:
    """REVIVED → SUCCEEDED for what has left the queue and did not come back; how many left."""
    transport, after, left = _transport(queue), 0, 0
    while page := fetch_dicts(sql("relay.watched"), {"name": queue.name, "after": after, "limit": limit}):
        there = transport.still_there(queue.remote_name, [row["remote_id"] for row in page])
        gone = [row["id"] for row in page if row["remote_id"] not in there]
        fetch_column(sql("relay.completed"), {"ids": gone})
        after, left = page[-1]["id"], left + len(gone)
    return left


def _transport(queue: AttachedQueue) -> Repeatable:
    transport, _remote = transport_of(queue.name)
    return transport  # type: ignore[return-value]  # only PostgreSQL's own are not repeatable


def _send(transport: Repeatable, queue: str, row: Mapping[str, Any]) -> int:
    headers, key = read_headers(row["headers"]), f"message:{row['id']}"
    if isinstance(headers, UnreadableHeaders):
        raise InvalidMessage(f"The headers cannot be read: {headers.problem}.")
    if row["dlq_event_id"] is not None:
        headers = {**headers, EVENT_ID: str(row["dlq_event_id"]), REVIVE_SEQ: str(row["revive_seq"])}
        key = f"dlq:{row['dlq_event_id']}:{row['revive_seq']}"
    payload = row["payload"] if row["payload_raw"] is None else bytes(row["payload_raw"])
    return transport.send(queue, payload, headers, dedupe_key=key)


def _note(queue: AttachedQueue, sent: list[tuple[dict[str, Any], int]]) -> None:
    values = {
        "name": queue.name,
        "dlq_event_ids": [row["dlq_event_id"] for row, _remote_id in sent],
        "revive_seqs": [row["revive_seq"] for row, _remote_id in sent],
        "remote_ids": [remote_id for _row, remote_id in sent],
    }
    fetch_column(sql("relay.note"), values)
    fetch_column(sql("relay.leave"), {"ids": [row["id"] for row, _remote_id in sent]})
