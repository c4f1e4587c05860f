"""What an operation would do, for the page on which a person confirms it. Changes nothing."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.operations import preview_figures as figures
from dlqconsole.operations.eligibility import eligible, why_not
from dlqconsole.operations.models import Kind, OperationItem
from dlqconsole.operations.preview_figures import Budget, OutOfTime, Rows

# A person waits for these figures; beyond it an estimate will do.
COUNT_BUDGET_MS = 2_000
AGES = ("under 1 h", "1 to 6 h", "6 to 24 h", "1 to 7 days", "7 to 30 days", "over 30 days")

type Source = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Ineligible:
    """So many in this state will be skipped, and why."""

    status: str
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class Part:
    """So many of the selection are this."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    """``rows`` share what they are about (business key, or data) with another; ``keys`` such things."""

    rows: int
    keys: int


@dataclass(frozen=True, slots=True)
class Preview:
    """``approximate``: counting took too long; ``total`` is an estimate, the rest is not known.

    None, and an empty list, is what could not be counted in time, or does not apply to the kind.
    """

    total: int
    eligible: int
    ineligible: list[Ineligible]
    approximate: bool = False
    ages: tuple[Part, ...] = ()
    types: tuple[Part, ...] = ()
    categories: tuple[Part, ...] = ()
    duplicates: Duplicates | None = None
    ordering_keys: int | None = None
    # seconds that the operation itself will take
    seconds: float | None = None
    # messages a minute that the consumers of the queues concerned complete
    consumers: float | None = None


def preview(
    kind: str,
    *,
    filter: DeadLetterFilter | None = None,
    ids: Iterable[int] | None = None,
    source: Source | None = None,
    queue: str = "",
    rate: int | None = None,
) -> Preview:
    """Count what would be selected, what of it would be skipped, and what it consists of.

    ``queue`` is where a revive goes instead of each one's origin.
    """
    ticked = sorted(set(ids or ()))
    rows = _rows(filter, ticked, source)
    budget = Budget(COUNT_BUDGET_MS)
    try:
        census = figures.census(rows, budget)
    except OutOfTime:
        estimate = _estimate(rows)
        return Preview(estimate, estimate, [], approximate=True, seconds=_seconds(kind, estimate, rate))
    counts = {status: number for status, number, _parts in census["status"]}
    total = _asked_for(filter, ticked, source, counts)
    able = sum(counts.get(status, 0) for status in eligible(kind))
    shared, keys = _shared_and_keys(rows, budget)
    queues = [queue] if queue else [value for value, _number, _parts in census["queue"] if value]
    return Preview(
        total,
        able,
        _skipped(kind, counts, total - sum(counts.values())),
        ages=_ages(census["age"]),
        types=_parts(census["type"]),
        categories=_parts(census["category"]),
        duplicates=shared,
        ordering_keys=keys,
        seconds=_seconds(kind, able, rate),
        consumers=_consumers(kind, queues),
    )


def _rows(filter: DeadLetterFilter | None, ticked: list[int], source: Source | None) -> Rows:
    if filter is not None:
        return filter.queryset()
    if source is not None:
        return DeadLetter.objects.filter(pk__in=_items(source).values("dead_letter_id"))
    return DeadLetter.objects.filter(pk__in=ticked)


def _items(source: Source) -> QuerySet[OperationItem]:
    operation_id, outcome = source
    return OperationItem.objects.filter(operation_id=operation_id, status=outcome)


def _asked_for(
    filter: DeadLetterFilter | None, ticked: list[int], source: Source | None, counts: dict[str, int]
) -> int:
    """Ticked rows and items that no longer exist are part of what was asked for."""
    found = sum(counts.values())
    if filter is not None:
        return found
    return max(found, len(ticked) if source is None else _items(source).count())


def _skipped(kind: str, counts: dict[str, int], missing: int) -> list[Ineligible]:
    reasons = why_not(kind)
    skipped = [
        Ineligible(status, counts[status], reasons[status]) for status in sorted(counts.keys() & reasons)
    ]
    return [*skipped, Ineligible("", missing, "no longer exists")] if missing > 0 else skipped


def _shared_and_keys(rows: Rows, budget: Budget) -> tuple[Duplicates | None, int | None]:
    """The dearest last, so that what is cheap is known in any case."""
    keys: int | None = None
    try:
        keys = figures.ordering_keys(rows, budget)
        return Duplicates(*figures.duplicates(rows, budget)), keys
    except OutOfTime:
        return None, keys


def _ages(found: list[tuple[str, int, int]]) -> tuple[Part, ...]:
    numbers = {int(value): number for value, number, _parts in found}
    return tuple(Part(label, numbers.get(place, 0)) for place, label in enumerate(AGES))


def _parts(found: list[tuple[str, int, int]]) -> tuple[Part, ...]:
    return tuple(Part(value or f"{parts:,} others", number) for value, number, parts in found)


def _seconds(kind: str, number: int, rate: int | None) -> float | None:
    """How long it takes: at the chosen rate, or at the pace of those before it where that is slower."""
    paces = [pace for pace in (rate, figures.pace(kind)) if pace]
    return number / min(paces) if paces else None


def _consumers(kind: str, queues: Collection[str]) -> float | None:
    return queue_metrics.completed_per_minute(queues) if kind == Kind.REVIVE and queues else None


def _estimate(rows: Rows) -> int:
    """What the planner believes."""
    select, parameters = rows.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + select, parameters)
        row = cursor.fetchone()
    plan = row[0] if row else "[]"
    steps = json.loads(plan) if isinstance(plan, str) else plan
    return int(steps[0]["Plan"]["Plan Rows"]) if steps else 0
