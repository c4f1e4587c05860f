"""The relay's steps for any queue. The other system may be another database, and commit by itself.

Everything is done there first, in a way that may be repeated, and recorded here after. A relay that dies in
between leaves our row as it was, and the next relay does it again without a second message.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from dlqconsole.core import messages
from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.core.handling import StoredEvent, identify
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.owners import owner_name
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.categories import PERMANENT
from dlqconsole.processing.headers import UnreadableHeaders, read_headers
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import NewDeadLetter, keep
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.exhausted import dead_letter
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.registry import system_of
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ
from dlqconsole.transports.source import DEAD_LETTER_LEASE_SECONDS, Source
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import Target, Transport

# Our rows are locked while the other system answers, so a page is small.
PAGE = 50
# PostgreSQL ends a session that says nothing for a minute inside its transaction.
SENDING_SECONDS = 20.0
REFUSED_PAGE = 100


def forward(queue: AttachedQueue, limit: int) -> int:
    """Move due messages from our queue to the other system's. Return how many rows left ours."""
    target = _target(queue)
    with transaction.atomic():
        if hold(queue):
            return 0
        make_due(queue, limit)
        rows = fetch_dicts(sql("relay.due"), {"name": queue.name, "limit": min(limit, PAGE)})
        deliveries: list[tuple[dict[str, Any], str]] = []
        refusals: list[tuple[Mapping[str, Any], str]] = []
        deadline = time.monotonic() + SENDING_SECONDS
        for row in rows:
            if time.monotonic() > deadline:
                break
            try:
                deliveries.append((row, _send(target, queue.remote_name, row)))
            except InvalidMessage as error:
                refusals.append((row, str(error)))
            except EngineError:
                if not deliveries:
                    raise
                break  # what was sent is noted, so that it is not sent again; the next page says why
        _note(queue, target, deliveries)
        refuse(queue, refusals)
        return len(deliveries) + len(refusals)


def dead_letter_exhausted(queue: AttachedQueue, limit: int) -> int:
    """Write the dead letters of messages that were delivered too often. Return their number."""
    source = system_of(queue.transport).open()
    if not finds_exhausted(source):  # a consumer of ours finds it when it is delivered the next time
        return 0
    batch = source.claim_exhausted(
        queue.remote_name, queue.max_deliveries, min(limit, PAGE), owner_name(), DEAD_LETTER_LEASE_SECONDS
    )
    return sum(dead_letter(source, message) for message in batch)


def finds_exhausted(transport: Transport) -> TypeGuard[Source]:
    """Tell whether the system is asked for what was delivered too often."""
    return isinstance(transport, Source) and transport.reports_exhausted


def watch(queue: AttachedQueue, limit: int) -> int:
    """Mark REVIVED dead letters SUCCEEDED when their message has left the queue for good. Count them."""
    target, after, count = _target(queue), 0, 0
    values = {"name": queue.name, "limit": limit}
    while page := fetch_dicts(sql("relay.watched"), values | {"after": after}):
        there = target.still_there(queue.remote_name, [row["remote_id"] for row in page])
        ids = [row["id"] for row in page if row["remote_id"] not in there]
        fetch_column(sql("relay.completed"), {"ids": ids, "who": f"consumers of {queue.name}"})
        after, count = page[-1]["id"], count + len(ids)
    return count


def give_up(queue: AttachedQueue, limit: int, *, why: str) -> int:
    """Take back the revived dead letters of a queue that is gone for a minute now. Return their number."""
    with transaction.atomic():
        ids = fetch_column(sql("relay.unreachable"), {"name": queue.name, "limit": limit})
        return lose(ids, why)


def lose(ids: Sequence[int], why: str) -> int:
    """Set REVIVED dead letters back to their former status, in the caller's transaction. Count them."""
    return len(fetch_column(sql("relay.lost"), {"ids": list(ids), "why": why})) if ids else 0


def hold(queue: AttachedQueue) -> bool:
    """Keep others from detaching the queue until the caller's transaction ends. Return whether it is paused.

    Raises UnknownQueue.
    """
    for is_paused in fetch_column(sql("relay.hold"), {"name": queue.name}):
        return bool(is_paused)
    raise UnknownQueue(f"The queue {queue.name} is attached no more.")


def make_due(queue: AttachedQueue, limit: int) -> None:
    """Make due messages claimable, and the next of each group, in the caller's transaction."""
    fetch_column(sql("relay.stage"), {"name": queue.name, "limit": limit})
    messages.unblock_forgotten(queue.name)


def _target(queue: AttachedQueue) -> Target:
    target = system_of(queue.transport).open()
    if not isinstance(target, Target):
        raise TransportUnavailable(f"Nothing can be sent to {queue.name}.")
    return target


def _send(target: Target, queue: str, row: Mapping[str, Any]) -> str:
    headers, key = read_headers(row["headers"]), f"message:{row['id']}"
    if isinstance(headers, UnreadableHeaders):
        raise InvalidMessage(f"The headers cannot be read: {headers.problem}.")
    if row["dlq_event_id"] is not None:
        headers = {**headers, EVENT_ID: str(row["dlq_event_id"]), REVIVE_SEQ: str(row["revive_seq"])}
        key = f"dlq:{row['dlq_event_id']}:{row['revive_seq']}"
    payload = row["payload"] if row["payload_raw"] is None else bytes(row["payload_raw"])
    return target.send(
        queue, payload, headers, dedupe_key=key if target.deduplicates or target.marks_repeats else None
    )


def _note(queue: AttachedQueue, target: Target, deliveries: list[tuple[dict[str, Any], str]]) -> None:
    values = {
        "name": queue.name,
        "dlq_event_ids": [row["dlq_event_id"] for row, _remote_id in deliveries],
        "revive_seqs": [row["revive_seq"] for row, _remote_id in deliveries],
        "remote_ids": [remote_id for _row, remote_id in deliveries],
        "watched": [target.tells_of(remote_id) for _row, remote_id in deliveries],
    }
    fetch_column(sql("relay.note"), values)
    fetch_column(sql("relay.leave"), {"ids": [row["id"] for row, _remote_id in deliveries]})


def refuse_unsendable(queue: AttachedQueue, why: str) -> None:
    """Dead-letter messages without JSON, for a queue that takes nothing else; in the caller's transaction."""
    rows = fetch_dicts(sql("relay.unsendable"), {"name": queue.name, "limit": REFUSED_PAGE})
    refuse(queue, [(row, why) for row in rows])


def refuse(queue: AttachedQueue, rows: list[tuple[Mapping[str, Any], str]]) -> None:
    """Move locked rows of our queue to the dead letters, each with its reason."""
    if rows:
        keep(queue.name, [_dead_letter(queue, row, why) for row, why in rows])
        fetch_dicts(sql("relay.leave"), {"ids": [row["id"] for row, _why in rows]})


def _dead_letter(queue: AttachedQueue, row: Mapping[str, Any], why: str) -> NewDeadLetter:
    raw = None if row["payload_raw"] is None else bytes(row["payload_raw"])
    # its number is one of our queue's, not of theirs
    raw_event = StoredEvent(row["payload"], raw, read_headers(row["headers"]), queue.name, str(row["id"]))
    return NewDeadLetter(
        message_id=str(row["id"]),
        payload=row["payload"],
        payload_raw=raw,
        headers=row["headers"],
        identity=identify(raw_event),
        failure=Failed(f"NotForwarded: {queue.name} did not take it: {why}", PERMANENT, "NotForwarded", ""),
        status=DeadLetterStatus.PENDING,
        revival=row["dlq_event_id"] and (row["dlq_event_id"], row["revive_seq"]),
    )
