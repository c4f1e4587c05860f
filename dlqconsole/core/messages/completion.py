"""The good end of a claim: the message leaves its queue."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any
from uuid import UUID

from dlqconsole.core import prepared, successes
from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.messages.reader import QueueReader
from dlqconsole.core.sql import sql
from dlqconsole.core.successes import Statement, Success
from dlqconsole.processing.outcomes import Succeeded

# the parameters of a statement
type Values = dict[str, Any]

_COLUMNS = ("event_types", "sources", "source_keys", "occurred_at", "records", "digests")
_NO_RECORDS = dict.fromkeys(_COLUMNS)


def complete(claims: Sequence[MessageClaim]) -> set[int]:
    """Remove held messages, archived where the queue says so. Return the ids that were ours.

    A claim that is missing from them lost its lease: somebody else has the message. Revived dead letters have
    SUCCEEDED, without a record; consumers with handlers use ``complete_handled``.
    """
    return _remove(_removals(claims))


def archive(claims: Sequence[MessageClaim]) -> set[int]:
    """Move held messages to the archive, whatever the queue's retention. Return the ids that were ours.

    Revived dead letters have SUCCEEDED, as after ``complete``.
    """
    return _remove([one | {"archive": True} for one in _removals(claims)])


def complete_handled(
    completions: Sequence[tuple[MessageClaim, HandlerResult]], *, note: bool = False
) -> set[int]:
    """Remove handled messages and keep their records. Return the ids that were still ours.

    A revived dead letter becomes SUCCEEDED. All of it is one transaction. ``note``: also for the queue's
    figures, which a consumer of many adds up itself.
    """
    more = kept_of(completions)
    batches = _handled_removals(completions, note=note)
    with prepared.together(len(more) + len(batches), by_index=bool(more)):
        successes.begin_keep(more)
        rows = [_begin_remove(batch) for batch in batches]
    return _ids(rows)


def exchange(
    reader: QueueReader,
    limit: int,
    lease_seconds: float,
    *,
    done: Sequence[MessageClaim] = (),
    handled: Sequence[tuple[MessageClaim, HandlerResult]] = (),
) -> tuple[set[int], list[MessageClaim]]:
    """Complete claims and claim the next: one transaction, one round trip, and mostly one statement.

    ``done``: as ``complete``; else ``handled``: as ``complete_handled``. Return the ids that were ours, and
    the new claims.
    """
    more = kept_of(handled)
    batches = _handled_removals(handled, note=False) or _removals(done)
    if not batches:
        return set(), reader.claim(limit, lease_seconds)
    with prepared.together(len(more) + len(batches), by_index=bool(more)):
        successes.begin_keep(more)
        before = [_begin_remove(one) for one in batches[:-1]]
        last = prepared.run(sql("messages.exchange"), batches[-1] | reader.values(limit, lease_seconds))
    (*_, ids), *claimed = last()
    return _ids(before) | set(ids or ()), reader.next_claims(
        [row[:-1] for row in claimed], limit, lease_seconds
    )


def kept_of(completions: Sequence[tuple[MessageClaim, HandlerResult]]) -> list[Statement]:
    """Return what features keep of these successes. Called before ``prepared.together`` begins."""
    return successes.statements(
        [
            Success(result.identity, claim.payload, claim.payload_raw, claim.dlq_event_id is not None)
            for claim, result in completions
        ]
    )


def as_array(ids: Iterable[int]) -> str:
    """Return numbers as PostgreSQL writes an array: as a parameter this is quicker than a list."""
    return "{" + ",".join(map(str, ids)) + "}"


def _as_text_array(values: Iterable[str | None]) -> str:
    return (
        "{"
        + ",".join(
            [
                "NULL" if one is None else '"' + one.replace("\\", r"\\").replace('"', r"\"") + '"'
                for one in values
            ]
        )
        + "}"
    )


def _remove(batches: Sequence[Values]) -> set[int]:
    with prepared.together(len(batches)):
        rows = [_begin_remove(batch) for batch in batches]
    return _ids(rows)


def _begin_remove(batch: Values) -> prepared.Rows:
    return prepared.run(sql("messages.remove" if batch["records"] is None else "messages.finish"), batch)


def _ids(results: Iterable[prepared.Rows]) -> set[int]:
    return {row[0] for rows in results for row in rows()}


def _removals(claims: Sequence[MessageClaim]) -> list[Values]:
    return [{**_removal(batch), **_NO_RECORDS} for batch in _by_token(claims)]


def _handled_removals(
    completions: Sequence[tuple[MessageClaim, HandlerResult]], *, note: bool
) -> list[Values]:
    results = {(claim.id, claim.lease_token): result for claim, result in completions}
    return [
        {
            **_removal(batch),
            **_columns(results[claim.id, claim.lease_token] for claim in batch),
            "note": note,
        }
        for batch in _by_token([claim for claim, _ in completions])
    ]


def _removal(batch: Sequence[MessageClaim]) -> Values:
    first = batch[0]
    return {"ids": as_array(one.id for one in batch), "token": first.lease_token, "archive": first.archives}


def _by_token(claims: Sequence[MessageClaim]) -> Iterable[list[MessageClaim]]:
    """Claims in the order of their ids, in lists of what was claimed together: of one token and one queue."""
    batches: dict[UUID, list[MessageClaim]] = {}
    for claim in sorted(claims, key=attrgetter("id")):
        batches.setdefault(claim.lease_token, []).append(claim)
    return batches.values()


def _columns(results: Iterable[HandlerResult]) -> dict[str, str]:
    rows: list[tuple[str | None, ...]] = []
    for one in results:
        assert isinstance(one.outcome, Succeeded)  # noqa: S101  (only successes are completed)
        who = one.identity
        occurred_at = None if who.occurred_at is None else who.occurred_at.isoformat()
        key = (who.event_type[:255], who.source, who.source_key, occurred_at)
        rows.append((*key, one.outcome.record_json, who.digest))
    return {
        name: _as_text_array(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    }
