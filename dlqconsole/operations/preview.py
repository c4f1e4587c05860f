"""What an operation would do, for the page on which a person confirms it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, QuerySet

from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.steadiness import took_too_long
from dlqconsole.operations.eligibility import eligible, why_not

# A person waits for this count; beyond it an estimate will do.
COUNT_BUDGET_MS = 2_000


@dataclass(frozen=True, slots=True)
class Ineligible:
    """So many in this state will be skipped, and why."""

    status: str
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class Preview:
    """``approximate``: counting took too long; ``total`` is an estimate, the rest is not known."""

    total: int
    eligible: int
    ineligible: list[Ineligible]
    approximate: bool = False


def preview(
    kind: str, *, filter: DeadLetterFilter | None = None, ids: Iterable[int] | None = None
) -> Preview:
    """Count what would be selected, and what of it would be skipped. Changes nothing."""
    ticked = sorted(set(ids or ()))
    rows = DeadLetter.objects.filter(pk__in=ticked) if filter is None else filter.queryset()
    try:
        counts = _counts(rows)
    except DatabaseError as error:
        if not took_too_long(error):
            raise
        estimate = _estimate(rows)
        return Preview(estimate, estimate, [], approximate=True)
    missing = len(ticked) - sum(counts.values()) if filter is None else 0
    return _judged(kind, counts, missing)


def _judged(kind: str, counts: dict[str, int], missing: int) -> Preview:
    able = sum(counts.get(status, 0) for status in eligible(kind))
    reasons = why_not(kind)
    skipped = [
        Ineligible(status, counts[status], reasons[status]) for status in sorted(counts.keys() & reasons)
    ]
    if missing > 0:
        skipped.append(Ineligible("", missing, "no longer exists"))
    return Preview(sum(counts.values()) + missing, able, skipped)


def _counts(rows: QuerySet[DeadLetter]) -> dict[str, int]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(COUNT_BUDGET_MS)])
        counted = rows.values_list("status").annotate(count=Count("pk")).order_by()
        return {str(status): int(count) for status, count in counted}


def _estimate(rows: QuerySet[DeadLetter]) -> int:
    """What the planner believes."""
    select, parameters = rows.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + select, parameters)
        row = cursor.fetchone()
    plan = row[0] if row else "[]"
    steps = json.loads(plan) if isinstance(plan, str) else plan
    return int(steps[0]["Plan"]["Plan Rows"]) if steps else 0
