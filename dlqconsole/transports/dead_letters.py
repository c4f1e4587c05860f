"""Messages of other systems' queues become dead letters: one way for all of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle.retry_limits import limits_for_failure
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ
from dlqconsole.transports.sql import sql


@dataclass(frozen=True, slots=True)
class Burial:
    """A message about to become a dead letter. ``headers`` is the text of a JSON object.

    ``revival``: the dead letter it came from and which revival it is, if it did. ``failed_at``: when it
    first failed, as far as its queue can tell. ``attempts``: how often it was claimed, this time included.
    """

    message_id: str
    payload: str | None
    payload_raw: bytes | None
    headers: str
    identity: Identity
    failure: Failed
    status: DeadLetterStatus
    revival: tuple[int, int] | None = None
    worker: str = ""
    attempts: int = 0
    failed_at: datetime | None = None


def keep(queue: str, burials: Sequence[Burial]) -> dict[str, int]:
    """Write the dead letters, in the caller's transaction. Return their ids by the messages' ids.

    ``queue`` is the name with its system; of one event the later message comes later in ``burials``. A
    message that a dead letter was revived as returns that same dead letter. The same event again is one row
    with one occurrence more.
    """
    revived_ids = _pairs("dead_letters.take_back", queue, [burial for burial in burials if burial.revival])
    others = [burial for burial in burials if burial.message_id not in revived_ids]
    new_ids: dict[str, int] = {}
    for each in _one_payload_an_event(others):
        new_ids |= _pairs("dead_letters.add", queue, each)
    return revived_ids | new_ids


def keep_once(
    queue: str, burial: Burial, message: str, *, again: Identity | None = None, held_seconds: float = 0.0
) -> int:
    """Write a dead letter and commit it, for a system that does not commit with us. Return its id.

    The same message may come here twice, when its consumer died before it was removed: it is one dead letter
    and one occurrence all the same. ``message`` names it for ever; ``dlq_attempts.worker`` begins with that,
    and is looked at first. ``again``: who the event is when its name belongs to another message.
    ``held_seconds``: how long its consumer has had it. Must not run inside another transaction: the message
    would be removed before its dead letter is committed.
    """
    again = again or burial.identity
    values = {
        "message": message,
        "dlq_event_id": burial.revival and burial.revival[0],
        "source": burial.identity.source,
        "source_key": burial.identity.source_key,
        "source_key_again": again.source_key,
        "held_seconds": held_seconds,
    }
    with transaction.atomic(durable=True):
        fetch_column(sql("dead_letters.alone"), values)
        [before] = fetch_dicts(sql("dead_letters.recall"), values)
        if before["known"] is not None:
            return int(before["known"])
        fresh = replace(
            burial,
            identity=again if before["taken"] else burial.identity,
            worker=f"{message}, {burial.worker}",
            failed_at=before["failed_at"],
        )
        return keep(queue, [fresh])[burial.message_id]


def headers_text(headers: Mapping[str, Any]) -> str:
    """Return the producer's headers as JSON. Ours are about one revival and would mislead in a later one."""
    return json.dumps({name: value for name, value in headers.items() if name not in (EVENT_ID, REVIVE_SEQ)})


def _pairs(query: str, queue: str, burials: Sequence[Burial]) -> dict[str, int]:
    if not burials:
        return {}
    values = _columns(burials) | {"queue": queue}
    return {row["message_id"]: row["id"] for row in fetch_dicts(sql(query), values)}


def _one_payload_an_event(burials: Sequence[Burial]) -> Iterator[list[Burial]]:
    """Yield pages in which each event has one payload: other bytes under its id are another event.

    The first page has the first of each, so that the later ones find it.
    """
    rest = list(burials)
    while rest:
        page: list[Burial] = []
        later: list[Burial] = []
        first: dict[tuple[str, str], tuple[str | None, bytes | None]] = {}
        for burial in rest:
            payload = (burial.payload, burial.payload_raw)
            who = (burial.identity.source, burial.identity.source_key)
            (page if first.setdefault(who, payload) == payload else later).append(burial)
        yield page
        rest = later


def _columns(burials: Sequence[Burial]) -> dict[str, list[Any]]:
    limits = [limits_for_failure(b.identity.event_type, b.failure) for b in burials]
    return {
        "message_ids": [b.message_id for b in burials],
        "dlq_event_ids": [b.revival and b.revival[0] for b in burials],
        "revive_seqs": [b.revival and b.revival[1] for b in burials],
        "event_types": [b.identity.event_type for b in burials],
        "sources": [b.identity.source for b in burials],
        "source_keys": [b.identity.source_key for b in burials],
        "payloads": [b.payload for b in burials],
        "raws": [b.payload_raw for b in burials],
        "headers": [b.headers for b in burials],
        "reasons": [b.failure.reason for b in burials],
        "categories": [b.failure.category for b in burials],
        "stacktraces": [b.failure.stacktrace for b in burials],
        "statuses": [str(b.status) for b in burials],
        "delays": [each.backoff.seconds(1) for each in limits],
        "most_retries": [each.max_retries for each in limits],
        "workers": [b.worker for b in burials],
        "attempts": [b.attempts for b in burials],
        "failed_at": [b.failed_at for b in burials],
    }
