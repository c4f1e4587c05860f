"""The inputs that two versions of the handlers are tried on: dead letters and sampled successes.

They are read in read-only transactions, the newest first, a few at a time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields import TextField
from django.db.models.functions import Cast

from dlqconsole.core.dead_letters.transitions import stored_event
from dlqconsole.core.handling import StoredEvent
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import successful_inputs
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.headers import read_headers

DEAD_LETTER, SAMPLE = "dead letter", "sample"
# rows in memory at once: each may hold a large payload
FETCH_ROWS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """One input. ``failed``: it failed at the time, with ``error_class``."""

    sort: str
    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    source_key: str
    has_failed: bool
    error_class: str = ""

    @property
    def stored(self) -> StoredEvent:
        """The event as its handler gets it."""
        return stored_event(self)


@dataclass(frozen=True, slots=True)
class CaseSelection:
    """The inputs to take: since a moment, of one event type or all (empty), at most ``limit`` of each sort.

    Within the caller's scope. A sample has no queue: only a scope over all of its event type includes it.
    """

    since: datetime
    event_type: str = ""
    limit: int = 10_000


def dead_letters(selection: CaseSelection) -> Iterator[Case]:
    """The dead letters, in any state. One that has succeeded since counts as a success."""
    rows = _letters(selection)
    names = ("pk", "event_type", "text", "payload_raw", "headers_text", "source", "source_key")
    for row in _newest_first(rows, (*names, "status", "error_class"), selection.limit):
        *columns, status, error_class = row
        has_failed = status != DeadLetterStatus.SUCCEEDED
        yield _case(
            DEAD_LETTER, *columns, has_failed=has_failed, error_class=error_class if has_failed else ""
        )


def samples(selection: CaseSelection) -> Iterator[Case]:
    """Sampled successes as they came: without the masked ones."""
    rows = _samples(selection, is_masked=False)
    names = ("pk", "event_type", "text", "payload_raw", "source", "source_key")
    for row in _newest_first(rows, names, selection.limit):
        number, event_type, text, raw, source, key = row
        yield _case(SAMPLE, number, event_type, text, raw, "{}", source, key, has_failed=False)


def count_masked(selection: CaseSelection) -> int:
    """Count the samples that are left out: they are masked, so a handler would get other values than came."""
    with _reading():
        return _samples(selection, is_masked=True).count()


def count_more(selection: CaseSelection) -> int:
    """Count the inputs of both sorts beyond the limit."""
    with _reading():
        numbers = (_letters(selection).count(), _samples(selection, is_masked=False).count())
    return sum(max(number - selection.limit, 0) for number in numbers)


def _letters(selection: CaseSelection) -> QuerySet[DeadLetter]:
    rows = DeadLetter.objects.filter(created_at__gte=selection.since)
    return _of_type(current_access().limit(rows), selection)


def _samples(selection: CaseSelection, *, is_masked: bool) -> QuerySet[Any]:
    inputs = successful_inputs()
    if inputs is None:
        return DeadLetter.objects.none()
    rows = inputs.filter(sampled_at__gte=selection.since, masked=is_masked)
    access = current_access()
    if access.is_limited:
        within = access.columns("NULL", f"{inputs.model._meta.db_table}.event_type")
        rows = rows.filter(access.condition(within))
    return _of_type(rows, selection)


def _of_type(rows: QuerySet[Any], selection: CaseSelection) -> QuerySet[Any]:
    return rows.filter(event_type=selection.event_type) if selection.event_type else rows


def _newest_first(rows: QuerySet[Any], names: tuple[str, ...], limit: int) -> Iterator[tuple[Any, ...]]:
    texts = {"text": Cast("payload", TextField())}
    if "headers_text" in names:
        texts["headers_text"] = Cast("headers", TextField())
    before, remaining = None, limit
    while remaining > 0:
        older = rows if before is None else rows.filter(pk__lt=before)
        with _reading():
            columns = older.annotate(**texts).order_by("-pk").values_list(*names)
            page = list(columns[: min(FETCH_ROWS, remaining)])
        yield from page
        if len(page) < FETCH_ROWS:
            return
        before, remaining = page[-1][0], remaining - len(page)


def _case(
    sort: str,
    number: int,
    event_type: str,
    text: str | None,
    raw: Any,
    headers: str,
    source: str,
    key: str,
    *,
    has_failed: bool,
    error_class: str = "",
) -> Case:
    payload_raw = None if raw is None else bytes(raw)
    columns = (event_type, text, payload_raw, read_headers(headers), source, key)
    return Case(sort, number, *columns, has_failed=has_failed, error_class=error_class)


@contextmanager
def _reading() -> Iterator[None]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        yield
