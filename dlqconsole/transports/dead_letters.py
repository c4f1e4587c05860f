"""Messages of other systems' queues become dead letters: one way for all of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.retry_limits import limits_for_failure
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ
from dlqconsole.transports.sql import sql


@dataclass(frozen=True, slots=True)
class NewDeadLetter:
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


def keep(queue: str, letters: Sequence[NewDeadLetter]) -> dict[str, int]:
    """Write the dead letters, in the caller's transaction. Return their ids by the messages' ids.

    ``queue`` is the name with its system; of one event the later message comes later in ``letters``. A
    message that a dead letter was revived as returns that same dead letter. The same event again is one row
    with one occurrence more.
    """
    revived_ids = _pairs("dead_letters.take_back", queue, [letter for letter in letters if letter.revival])
    others = [letter for letter in letters if letter.message_id not in revived_ids]
    new_ids: dict[str, int] = {}
    for each in _one_payload_an_event(others):
        new_ids |= _pairs("dead_letters.add", queue, each)
    return revived_ids | new_ids


def keep_once(
    queue: str, letter: NewDeadLetter, name: str, *, again: Identity | None = None, held_seconds: float = 0.0
) -> int:
    """Write a dead letter and commit it, for a system that does not commit with us. Return its id.

    The same message may come here twice, when its consumer died before it was removed: it is one dead letter
    and one occurrence all the same. ``name`` names it for ever; ``dlq_attempts.worker`` begins with that,
    and is looked at first. ``again``: who the event is when its name belongs to another message.
    ``held_seconds``: how long its consumer has had it. Must not run inside another transaction: the message
    would be removed before its dead letter is committed.
    """
    again = again or letter.identity
    values = {
        "message": name,
        "dlq_event_id": letter.revival and letter.revival[0],
        "source": letter.identity.source,
        "source_key": letter.identity.source_key,
        "source_key_again": again.source_key,
        "held_seconds": held_seconds,
    }
    with transaction.atomic(durable=True):
        fetch_column(sql("dead_letters.alone"), values)
        [before] = fetch_dicts(sql("dead_letters.recall"), values)
        if before["known"] is not None:
            return int(before["known"])
        fresh = replace(
            letter,
            identity=again if before["taken"] else letter.identity,
            worker=f"{name}, {letter.worker}",
            failed_at=before["failed_at"],
        )
        return keep(queue, [fresh])[letter.message_id]


def keep_marked(queue: str, letter: NewDeadLetter, mark: str, words: str, held_seconds: float) -> int:
    """Commit the dead letter of a message that is locked. Return its id.

    A message that does not name itself is known by its queue and id. An id may come again, after a TRUNCATE:
    ``mark`` tells that it is another message, and its dead letter is one of its own.
    """
    identity, number = letter.identity, letter.message_id
    again = identity
    if (identity.source, identity.source_key) == (queue, number):
        again = replace(identity, source_key=f"{number} {mark}")
    return keep_once(queue, letter, f"{queue}/{number} {words}", again=again, held_seconds=held_seconds)


def headers_text(headers: Mapping[str, Any]) -> str:
    """Return the producer's headers as JSON. Ours are about one revival and would mislead in a later one."""
    return json.dumps({name: value for name, value in headers.items() if name not in (EVENT_ID, REVIVE_SEQ)})


def _pairs(query: str, queue: str, letters: Sequence[NewDeadLetter]) -> dict[str, int]:
    if not letters:
        return {}
    values = _columns(letters) | {"queue": queue}
    statement = sql(query).replace("{added}", core_sql("new_letters.add"))
    return {row["message_id"]: row["id"] for row in fetch_dicts(statement, values)}


def _one_payload_an_event(letters: Sequence[NewDeadLetter]) -> Iterator[list[NewDeadLetter]]:
    """Yield pages in which each event has one payload: other bytes under its id are another event.

    The first page has the first of each, so that the later ones find it.
    """
    rest = list(letters)
    while rest:
        page: list[NewDeadLetter] = []
        later: list[NewDeadLetter] = []
        first: dict[tuple[str, str], tuple[str | None, bytes | None]] = {}
        for letter in rest:
            payload = (letter.payload, letter.payload_raw)
            who = (letter.identity.source, letter.identity.source_key)
            (page if first.setdefault(who, payload) == payload else later).append(letter)
        yield page
        rest = later


def _columns(letters: Sequence[NewDeadLetter]) -> dict[str, list[Any]]:
    limits = [limits_for_failure(b.identity.event_type, b.failure) for b in letters]
    return {
        "message_ids": [b.message_id for b in letters],
        "dlq_event_ids": [b.revival and b.revival[0] for b in letters],
        "revive_seqs": [b.revival and b.revival[1] for b in letters],
        "event_types": [b.identity.event_type for b in letters],
        "sources": [b.identity.source for b in letters],
        "source_keys": [b.identity.source_key for b in letters],
        "payloads": [b.payload for b in letters],
        "raws": [b.payload_raw for b in letters],
        "headers": [b.headers for b in letters],
        "reasons": [b.failure.reason for b in letters],
        "categories": [b.failure.category for b in letters],
        "stacktraces": [b.failure.stacktrace for b in letters],
        "statuses": [str(b.status) for b in letters],
        "delays": [each.backoff.seconds(1) for each in limits],
        "most_retries": [each.max_retries for each in limits],
        "workers": [b.worker for b in letters],
        "attempts": [b.attempts for b in letters],
        "failed_at": [b.failed_at for b in letters],
    }
