"""Handlers' records for messages of other systems: rows of ``enriched_events``, each event once."""

import logging
from collections.abc import Sequence
from typing import Any

from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.successes import Success
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.transports.sql import sql

log = logging.getLogger(__name__)

_COLUMNS = (
    "event_types", "sources", "source_keys", "occurred_at", "records", "digests", "payloads", "raws",
)  # fmt: skip


def keep(successes: Sequence[tuple[HandlerResult, Success]]) -> int:
    """Keep the records, in the caller's transaction. A record that exists stays as it is.

    Other bytes under the source and id of a record are another event, kept under a key of its own; how many
    of these came for the first time.
    """
    rows = [_row(result, success) for result, success in successes]
    others = fetch_column(sql("records.keep"), _columns(rows)) if rows else []
    for key in others:
        log.warning("other bytes under an id that succeeded: another event, its record is kept as %s", key)
    return len(others)


def _row(result: HandlerResult, success: Success) -> tuple[Any, ...]:
    """Return the row of a success. A revived event may have been edited, so it has no digest."""
    who, outcome = result.identity, result.outcome
    assert isinstance(outcome, Succeeded)  # noqa: S101  (only these are kept)
    digest = None if success.was_dead_letter else who.digest
    names = (who.event_type[:255], who.source, who.source_key, who.occurred_at)
    return *names, outcome.record_json, digest, success.payload, success.payload_raw


def _columns(rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}
