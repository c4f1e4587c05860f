"""Drift: add new payloads to their hours, and compare each hour with those before it."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, QuerySet, Sum

from dlqconsole.contrib.insight import shapes
from dlqconsole.contrib.insight.models import PayloadChange, PayloadShape, ShapeProgress
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.contrib.insight.statistics.drift import Drift, Hour, changes
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.hosting.database import transaction

# seconds; samples of a longer transaction are left out
SETTLE = 30.0
# the most payloads of each type that a look reads, succeeded and failed apart; and of all types together
PAYLOADS, MOST = 200, 20_000
LARGEST = 65_536  # bytes
# the number of earlier hours that an hour is compared with
HOURS = 12
KEEP_CHANGES_DAYS = 90

type TypeHour = tuple[str, datetime]


def tick() -> None:
    """Look, and delete what is old."""
    look()
    tidy()


def look() -> int:
    """Compare the payloads since the last time; return the number of new changes. One worker at a time."""
    with transaction.atomic():
        execute(sql("drift.begin"), {})
        due = fetch_dicts(sql("drift.due"), {"settle": SETTLE})
        if not due or due[0]["since"] >= due[0]["until"]:
            return 0
        hours = sorted(_new_hours(due[0]).items(), key=_by_hour)
        number = sum(_store_changes(which, hour) for which, hour in hours)
        execute(sql("drift.done"), {"until": due[0]["until"]})
        return number


def tidy() -> None:
    """Delete old hours and old changes."""
    execute(sql("drift.forget"), {"days": settings.DLQ_SAMPLE_DAYS})
    execute(sql("drift.forget_changes"), {"days": KEEP_CHANGES_DAYS})
    execute(sql("common.forget"), {})


def _by_hour(part: tuple[TypeHour, Hour]) -> tuple[datetime, str]:
    (event_type, moment), _hour = part
    return moment, event_type


def _new_hours(between: dict[str, Any]) -> dict[TypeHour, Hour]:
    """Read the new payloads of successes and failures, each with its weight in events."""
    values = between | {"payloads": PAYLOADS, "most": MOST, "largest": LARGEST}
    successes = shapes.read(fetch_dicts(sql("drift.succeeded"), values))
    failures = shapes.read(fetch_dicts(sql("drift.failed"), values))
    return {
        which: shapes.sum_of_hours(successes.get(which, Hour()), failures.get(which, Hour()))
        for which in {*successes, *failures}
    }


def _store_changes(which: TypeHour, new_part: Hour) -> int:
    """Add the new payloads to their hour; store the changes of these payloads and of the whole hour."""
    event_type, moment = which
    whole = shapes.add(event_type, moment, new_part)
    before = _before(event_type, moment)
    both = (*changes(before, new_part), *changes(before, whole))
    unique = {(change.path, change.kind): change for change in both}
    news = [change for change in unique.values() if not _is_reported(event_type, moment, change)]
    PayloadChange.objects.bulk_create(
        [_row(event_type, moment, change) for change in news], ignore_conflicts=True
    )
    return len(news)


def _before(event_type: str, moment: datetime) -> list[Hour]:
    moments = shapes.hours_before(event_type, moment, HOURS)
    return list(shapes.stored_hours(event_type, moments).values())


def _is_reported(event_type: str, moment: datetime, change: Drift) -> bool:
    """Tell whether a change was reported for this hour or for the one before, in which it may begin."""
    since = moment - timedelta(hours=1)
    rows = PayloadChange.objects.filter(event_type=event_type, path=change.path, hour__gte=since)
    return rows.filter(kind=change.kind, after=change.after).exists()


def _row(event_type: str, moment: datetime, change: Drift) -> PayloadChange:
    return PayloadChange(
        event_type=event_type,
        path=change.path,
        hour=moment,
        kind=change.kind,
        before=change.before,
        after=change.after,
        share_before=change.share_before,
        share_after=change.share_after,
        payloads=change.payloads,
        payloads_before=change.payloads_before,
    )


def newest(days: int, limit: int) -> QuerySet[PayloadChange]:
    """The changes of the last days, newest first."""
    since = _clock() - timedelta(days=days)
    return PayloadChange.objects.filter(hour__gte=since).order_by("-hour", "event_type", "path")[:limit]


def shortly_before(event_type: str, moment: datetime, limit: int = 8) -> QuerySet[PayloadChange]:
    """The changes in a type's payloads in the day before a moment, or in its hour."""
    rows = PayloadChange.objects.filter(event_type=event_type, hour__lte=moment)
    return rows.filter(hour__gt=moment - timedelta(days=1)).order_by("-hour", "path")[:limit]


def _clock() -> datetime:
    return fetch_dicts("SELECT clock_timestamp() AS now", {})[0]["now"]  # type: ignore[no-any-return]


def looked_until() -> datetime | None:
    """The moment up to which payloads were compared; None: none yet."""
    return ShapeProgress.objects.values_list("until", flat=True).first()


def left_out() -> int:
    """Count the paths left out of the newest hour: too many paths, or names that are somebody's data."""
    newest_hour = PayloadShape.objects.aggregate(newest=Max("hour"))["newest"]
    rows = PayloadShape.objects.filter(hour=newest_hour, path=shapes.WHOLE)
    return int(rows.aggregate(paths=Sum("left_out"))["paths"] or 0)
