"""The good end of a claim: the message leaves its queue."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any
from uuid import UUID

from dlqconsole.core import prepared, successes
from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.sql import sql
from dlqconsole.core.successes import Statement, Success
from dlqconsole.processing.outcomes import Succeeded

# further parameters of a statement, for a batch of claims
type Columns = Callable[[list[MessageClaim]], dict[str, Any]]


def complete(claims: Sequence[MessageClaim]) -> set[int]:
    """Remove held messages, archived where the queue says so. Return the ids that were ours.

    A claim that is missing from them lost its lease: somebody else has the message. Revived dead letters have
    SUCCEEDED, without a record; consumers with handlers use ``complete_handled``.
    """
    with prepared.pipeline():
        rows = begin_remove(claims)
    return {row[0] for row in rows()}


def archive(claims: Sequence[MessageClaim]) -> set[int]:
    """Move held messages to the archive, whatever the queue's retention. Return the ids that were ours.

    Revived dead letters have SUCCEEDED, as after ``complete``.
    """
    with prepared.pipeline():
        rows = _for_each_token("messages.remove", claims, lambda batch: {"archive": True})
    return {row[0] for row in rows()}


def complete_handled(
    completions: Sequence[tuple[MessageClaim, HandlerResult]], *, note: bool = False
) -> set[int]:
    """Remove handled messages and keep their records. Return the ids that were still ours.

    A revived dead letter becomes SUCCEEDED. All of it is one transaction. ``note``: also for the queue's
    figures, which a consumer of many adds up itself.
    """
    more = kept_of(completions)
    with prepared.pipeline(by_index=bool(more)):
        rows = begin_complete_handled(completions, more, note=note)
    return {row[0] for row in rows()}


def kept_of(completions: Sequence[tuple[MessageClaim, HandlerResult]]) -> list[Statement]:
    """Return what features keep of these successes. Called before ``prepared.pipeline`` begins."""
    return successes.statements(
        [
            Success(result.identity, claim.payload, claim.payload_raw, claim.dlq_event_id is not None)
            for claim, result in completions
        ]
    )


def begin_complete_handled(
    completions: Sequence[tuple[MessageClaim, HandlerResult]],
    more: Sequence[Statement] = (),
    *,
    note: bool = False,
) -> prepared.Rows:
    """Complete inside ``prepared.pipeline``; the returned function gives the ids' rows afterwards."""
    successes.begin_keep(more)
    results = {(claim.id, claim.lease_token): what for claim, what in completions}
    claims = [claim for claim, _ in completions]
    return _for_each_token(
        "messages.finish",
        claims,
        lambda batch: {
            "archive": batch[0].archives,
            "note": note,
            **_columns(results[claim.id, claim.lease_token] for claim in batch),
        },
    )


def begin_remove(claims: Sequence[MessageClaim]) -> prepared.Rows:
    """Remove without a record, inside ``prepared.pipeline``."""
    return _for_each_token("messages.remove", claims, lambda batch: {"archive": batch[0].archives})


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


def _for_each_token(name: str, claims: Sequence[MessageClaim], more: Columns) -> prepared.Rows:
    """Run a statement for each batch that was claimed together: its claims share their token and queue."""
    batches: dict[UUID, list[MessageClaim]] = {}
    for claim in sorted(claims, key=attrgetter("id")):
        batches.setdefault(claim.lease_token, []).append(claim)
    results = [
        prepared.run(sql(name), {"ids": as_array(claim.id for claim in batch), "token": token, **more(batch)})
        for token, batch in batches.items()
    ]
    return lambda: [row for rows in results for row in rows()]


def _columns(results: Iterable[HandlerResult]) -> dict[str, str]:
    rows: list[tuple[str | None, ...]] = []
    for one in results:
        assert isinstance(one.outcome, Succeeded)  # noqa: S101  (only successes are completed)
        who = one.identity
        occurred_at = None if who.occurred_at is None else who.occurred_at.isoformat()
        key = (who.event_type[:255], who.source, who.source_key, occurred_at)
        rows.append((*key, one.outcome.record_json, who.digest))
    names = ("event_types", "sources", "source_keys", "occurred_at", "records", "digests")
    return {name: _as_text_array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
