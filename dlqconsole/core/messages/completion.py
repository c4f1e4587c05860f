"""The good end of a claim: the message leaves its queue."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
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
# the words in a revived dead letter's history, where no handler of ours ran
_HOW = {
    "messages.remove": "Completed by its consumer, without a handler of ours",
    "messages.archive": "Completed by its consumer, without a handler of ours; its message is archived",
}


def complete(claims: Sequence[MessageClaim]) -> set[int]:
    """Remove held messages, archived where the queue says so. Return the ids that were ours.

    A claim that is missing from them lost its lease: somebody else has the message. Revived dead letters have
    SUCCEEDED, without a record; consumers with handlers use ``complete_handled``.
    """
    with prepared.pipeline():
        archived_rows = begin_archive([claim for claim in claims if claim.archives])
        removed_rows = begin_remove([claim for claim in claims if not claim.archives])
    return {row[0] for row in archived_rows() + removed_rows()}


def archive(claims: Sequence[MessageClaim]) -> set[int]:
    """Move held messages to the archive, whatever the queue's retention. Return the ids that were ours.

    Revived dead letters have SUCCEEDED, as after ``complete``.
    """
    with prepared.pipeline():
        rows = begin_archive(claims)
    return {row[0] for row in rows()}


def complete_handled(completions: Sequence[tuple[MessageClaim, HandlerResult]]) -> set[int]:
    """Remove handled messages and keep their records. Return the ids that were still ours.

    A revived dead letter becomes SUCCEEDED. All of it is one transaction.
    """
    more = kept_of(completions)
    with prepared.pipeline():
        rows = begin_complete_handled(completions, more)
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
    completions: Sequence[tuple[MessageClaim, HandlerResult]], more: Sequence[Statement] = ()
) -> prepared.Rows:
    """Complete inside ``prepared.pipeline``; the returned function gives the ids' rows afterwards."""
    successes.begin_keep(more)
    results = {(claim.id, claim.lease_token): what for claim, what in completions}
    claims = [claim for claim, _ in completions]
    return _for_each_token(
        "messages.complete",
        claims,
        lambda batch: {
            "archived": as_array(claim.id for claim in batch if claim.archives),
            **_columns(results[claim.id, claim.lease_token] for claim in batch),
        },
    )


def begin_remove(claims: Sequence[MessageClaim]) -> prepared.Rows:
    """Remove without a trace, inside ``prepared.pipeline``."""
    return _for_each_token("messages.remove", claims)


def begin_archive(claims: Sequence[MessageClaim]) -> prepared.Rows:
    """Move to the archive, inside ``prepared.pipeline``."""
    return _for_each_token("messages.archive", claims)


def as_array(ids: Iterable[int]) -> str:
    """Return numbers as PostgreSQL writes an array: as a parameter this is quicker than a list."""
    return "{" + ",".join(map(str, ids)) + "}"


def _for_each_token(
    name: str, claims: Sequence[MessageClaim], more: Columns = lambda batch: {}
) -> prepared.Rows:
    """Run a statement for each batch that was claimed together: its claims share their token."""
    batches: dict[UUID, list[MessageClaim]] = {}
    for claim in sorted(claims, key=attrgetter("id")):
        batches.setdefault(claim.lease_token, []).append(claim)
    results = [
        prepared.run(
            completion_text(name, _tables(batch), any(claim.dlq_event_id is not None for claim in batch)),
            {"ids": as_array(claim.id for claim in batch), "token": token, **more(batch)},
        )
        for token, batch in batches.items()
    ]
    return lambda: [row for rows in results for row in rows()]


@cache
def completion_text(name: str, tables: str, any_revived: bool) -> str:
    """Return the statement of one kind of end. ``any_revived``: one message is a revived dead letter."""
    healing = sql("messages.healed").format(how=_HOW.get(name, ""))
    return sql(name).format(
        messages=tables,
        into_archive=sql("messages.into_archive"),
        healed=healing if any_revived else sql("messages.unrevived"),
    )


def _tables(claims: Sequence[MessageClaim]) -> str:
    return "message_queue" if any(claim.unlogged for claim in claims) else "ONLY message_queue"


def _columns(results: Iterable[HandlerResult]) -> dict[str, list[Any]]:
    rows = []
    for one in results:
        assert isinstance(one.outcome, Succeeded)  # noqa: S101  (only successes are completed)
        who = one.identity
        key = (who.event_type[:255], who.source, who.source_key, who.occurred_at)
        rows.append((*key, one.outcome.record_json, who.digest))
    names = ("event_types", "sources", "source_keys", "occurred_at", "records", "digests")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
