"""What two versions of the handlers are tried on: dead letters, and inputs that were succeeded with.

They are read in read-only transactions, newest first, a few at a time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.fields import TextField
from django.db.models.functions import Cast

from dlqconsole.engine.dead_letters.transitions import stored_event
from dlqconsole.engine.handling import StoredEvent
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter, SuccessSample
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.headers import read_headers

DEAD_LETTER, SAMPLE = "dead letter", "sample"
# rows in memory at once: each may hold a large payload
FETCH_ROWS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """One input. ``failed``: whether it failed when it was met, and as ``error_class`` says."""

    sort: str
    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    source_key: str
    failed: bool
    error_class: str = ""

    @property
    def stored(self) -> StoredEvent:
        """As its handler meets it."""
        return stored_event(self)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which: met since then, of one event type or of all (empty), so many of each sort at most.

    ``reach``: what somebody sees who asks. A sample has no queue: it is seen where all of its event type is.
    """

    since: datetime
    reach: Reach
    event_type: str = ""
    limit: int = 10_000


def dead_letters(scope: Scope) -> Iterator[Case]:
    """The dead letters, in whatever state they are now. What has succeeded since counts as succeeded."""
    rows = _letters(scope)
    names = ("pk", "event_type", "text", "payload_raw", "headers_text", "source", "source_key")
    for row in _newest_first(rows, (*names, "status", "error_class"), scope.limit):
        *given, status, error_class = row
        failed = status != DeadLetterStatus.SUCCEEDED
        yield _case(DEAD_LETTER, *given, failed=failed, error_class=error_class if failed else "")


def samples(scope: Scope) -> Iterator[Case]:
    """Sampled successes as they came: nothing in them is masked."""
    rows = _samples(scope, masked=False)
    names = ("pk", "event_type", "text", "payload_raw", "source", "source_key")
    for row in _newest_first(rows, names, scope.limit):
        number, event_type, text, raw, source, key = row
        yield _case(SAMPLE, number, event_type, text, raw, "{}", source, key, failed=False)


def count_masked(scope: Scope) -> int:
    """How many samples are left out: what a handler would meet in them is not what came."""
    with _reading():
        return _samples(scope, masked=True).count()


def count_more(scope: Scope) -> int:
    """How many there are beyond the limit, of both sorts."""
    with _reading():
        found = (_letters(scope).count(), _samples(scope, masked=False).count())
    return sum(max(number - scope.limit, 0) for number in found)


def _letters(scope: Scope) -> QuerySet[DeadLetter]:
    return _of_type(scope.reach.limit(DeadLetter.objects.filter(created_at__gte=scope.since)), scope)


def _samples(scope: Scope, *, masked: bool) -> QuerySet[SuccessSample]:
    rows = SuccessSample.objects.filter(sampled_at__gte=scope.since, masked=masked)
    if scope.reach.is_limited:
        within = scope.reach.columns("NULL", "success_samples.event_type")
        rows = rows.filter(scope.reach.condition(within))
    return _of_type(rows, scope)


def _of_type(rows: QuerySet[Any], scope: Scope) -> QuerySet[Any]:
    return rows.filter(event_type=scope.event_type) if scope.event_type else rows


def _newest_first(rows: QuerySet[Any], names: tuple[str, ...], limit: int) -> Iterator[tuple[Any, ...]]:
    texts = {"text": Cast("payload", TextField())}
    if "headers_text" in names:
        texts["headers_text"] = Cast("headers", TextField())
    before, left = None, limit
    while left > 0:
        page = rows if before is None else rows.filter(pk__lt=before)
        with _reading():
            found = list(page.annotate(**texts).order_by("-pk").values_list(*names)[: min(FETCH_ROWS, left)])
        yield from found
        if len(found) < FETCH_ROWS:
            return
        before, left = found[-1][0], left - len(found)


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
    failed: bool,
    error_class: str = "",
) -> Case:
    payload_raw = None if raw is None else bytes(raw)
    given = (event_type, text, payload_raw, read_headers(headers), source, key)
    return Case(sort, number, *given, failed=failed, error_class=error_class)


@contextmanager
def _reading() -> Iterator[None]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        yield
