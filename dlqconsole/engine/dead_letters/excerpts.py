"""Dead letters as people see them: the list in pages, one letter, its payload as exact text.

Payloads never become Python objects here: one that is too deep or holds too long a number for Python
would take the whole page with it.
"""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.orders import NEWEST
from dlqconsole.engine.gate import MARGIN
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sql import sql

SHOWN = 256 * 1024  # characters of a payload that a page shows
AT_ONCE = 32 * 1024  # bytes of a payload that a page has at once; a longer one comes behind the page
BEHIND = 8 * 1024 * 1024  # characters of such a payload
WHOLE = 2**31 - 1  # the limit that cuts nothing
REASON = 500  # characters of a reason that a list shows
LONG = 64_000  # characters of a reason or a stack trace
_COLUMNS = (
    "id", "event_type", "error_class", "error_category", "status", "retry_count", "max_retries",
    "retry_after", "occurrences", "queue", "source", "source_key", "group_id", "revive_count", "version",
    "created_at", "first_failure_at", "last_failure_at", "dead_lettered_at", "updated_at", "come_backs",
)  # fmt: skip

# columns that may be too large for Python, or, like a lease until infinity, impossible there
LEFT_THERE = (
    "payload", "payload_raw", "headers", "error_reason", "error_stacktrace", "lease_until", "revived_at",
)  # fmt: skip


def newest(rows: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
    """Order the list: newest first."""
    return NEWEST.first(rows)


def among_newest(rows: QuerySet[DeadLetter], number: int) -> QuerySet[DeadLetter]:
    """Limit a query to the newest dead letters, where looking at all would take too long."""
    condition = RawSQL(sql("excerpts.among_newest"), (number,), output_field=BooleanField())  # noqa: S611
    return rows.filter(condition)


def excerpts(rows: QuerySet[DeadLetter]) -> QuerySet[DeadLetter, dict[str, Any]]:
    """Return each row's columns for a list, with ``payload_preview`` and ``reason_excerpt``."""
    preview = RawSQL(preview_of("dlq_events"), (), output_field=TextField())  # noqa: S611
    return lines(rows.annotate(payload_preview=preview), "payload_preview")


def lines(rows: QuerySet[DeadLetter], *more: str) -> QuerySet[DeadLetter, dict[str, Any]]:
    """Return the columns without the payload: a long payload would be read only for its preview."""
    listing: QuerySet[DeadLetter, dict[str, Any]] = rows.annotate(
        reason_excerpt=Left("error_reason", REASON + MARGIN)
    ).values(*_COLUMNS, "reason_excerpt", *more)
    return listing


def preview_of(table: str) -> str:
    """Return SQL for the beginning of a payload, of any table with ``payload`` and ``payload_raw``."""
    return sql("excerpts.preview").format(row=table)


def is_seen(letter_id: int) -> bool:
    """Tell whether there is such a dead letter within the scope."""
    return bool(current_access().limit(DeadLetter.objects.filter(pk=letter_id)).exists())


def letter(letter_id: int) -> DeadLetter | None:
    """Return one dead letter without its payload, headers and lease, its long texts cut."""
    row = (
        DeadLetter.objects.defer(*LEFT_THERE)
        .annotate(reason=Left("error_reason", LONG), trace=Left("error_stacktrace", LONG))
        .filter(pk=letter_id)
        .first()
    )
    if row is not None:
        row.error_reason, row.error_stacktrace = row.reason, row.trace
    return row


def payload(letter_id: int, limit: int = SHOWN) -> dict[str, Any]:
    """Return PostgreSQL's text of it: ``text``, ``text_size``, ``raw``, ``raw_size``, ``headers``.

    ``ids``: those of traces, correlations and the like in its headers.
    """
    return fetch_dicts(sql("excerpts.payload"), {"id": letter_id, "limit": limit})[0]


def whole_payload(letter_id: int) -> tuple[bytes, bool] | None:
    """Return the payload's bytes, and whether they are JSON text; None without such a dead letter."""
    rows = fetch_dicts(sql("excerpts.whole_payload"), {"id": letter_id})
    if not rows:
        return None
    text, raw = rows[0]["text"], rows[0]["raw"]
    return (bytes(raw), False) if raw is not None else ((text or "").encode(), True)
