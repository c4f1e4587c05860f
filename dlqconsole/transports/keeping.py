"""Messages of other systems' queues become dead letters: one way for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.sql import sql


@dataclass(frozen=True, slots=True)
class Burial:
    """A message about to become a dead letter. ``headers`` is the text of a JSON object.

    ``revival``: the dead letter it came from and which revival it is, if it did. ``failed_at``: when it
    first failed, as far as its queue can tell.
    """

    message_id: int
    payload: str | None
    payload_raw: bytes | None
    headers: str
    identity: Identity
    failure: Failed
    status: DeadLetterStatus
    revival: tuple[int, int] | None = None
    worker: str = ""
    failed_at: datetime | None = None


def keep(queue: str, burials: Sequence[Burial]) -> dict[int, int]:
    """Write the dead letters, in the caller's transaction; their ids by the messages' ids.

    ``queue`` is the name with its transport. A message that a dead letter was revived as returns that same
    dead letter. The same event again is one row with one occurrence more.
    """
    returned = _pairs("keeping.take_back", queue, [burial for burial in burials if burial.revival])
    others = [burial for burial in burials if burial.message_id not in returned]
    return returned | _pairs("keeping.add", queue, others)


def _pairs(query: str, queue: str, burials: Sequence[Burial]) -> dict[int, int]:
    if not burials:
        return {}
    values = _columns(burials) | {
        "queue": queue,
        "schedule_max_retries": settings.DLQ_RETRY_MAX_RETRIES,
    }
    return {row["message_id"]: row["id"] for row in fetch_dicts(sql(query), values)}


def _columns(burials: Sequence[Burial]) -> dict[str, list[Any]]:
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
        "delays": [failures.dead_letter_delay(b.failure, 0) for b in burials],
        "workers": [b.worker for b in burials],
        "failed_at": [b.failed_at for b in burials],
    }
