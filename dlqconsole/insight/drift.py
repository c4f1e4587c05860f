"""Drift: what has come is added to its hours, and each hour is compared with those before it."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet, Sum

from dlqconsole.engine.named_sql import execute, fetch_dicts
from dlqconsole.insight import shapes
from dlqconsole.insight.models import PayloadChange, PayloadShape, ShapeProgress
from dlqconsole.insight.sql import sql
from dlqconsole.processing.drift import Drift, Hour, changes

# seconds; what is written by a longer transaction is passed over
SETTLE = 30.0
# of each type and look so many payloads that succeeded, and so many that failed; and of all together
PAYLOADS, MOST = 200, 20_000
LARGEST = 65_536  # bytes
# an hour is compared with so many before it
HOURS = 12
KEEP_CHANGES_DAYS = 90

type Which = tuple[str, datetime]


def look() -> int:
    """Look at what has come since the last time; how many changes were found. One worker at a time."""
    with transaction.atomic():
        execute(sql("drift.begin"), {})
        due = fetch_dicts(sql("drift.due"), {"settle": SETTLE})
        if not due or due[0]["since"] >= due[0]["until"]:
            return 0
        found = sum(_judge(which, came) for which, came in sorted(_came(due[0]).items(), key=_by_hour))
        execute(sql("drift.done"), {"until": due[0]["until"]})
        return found


def tidy() -> None:
    """Let go of old hours and old changes."""
    execute(sql("drift.forget"), {"days": settings.DLQ_SAMPLE_DAYS})
    execute(sql("drift.forget_changes"), {"days": KEEP_CHANGES_DAYS})
    execute(sql("common.forget"), {})


def _by_hour(part: tuple[Which, Hour]) -> tuple[datetime, str]:
    (event_type, moment), _came = part
    return moment, event_type


def _came(between: dict[str, Any]) -> dict[Which, Hour]:
    """What succeeded and what failed, each weighed by how many events there were."""
    values = between | {"payloads": PAYLOADS, "most": MOST, "largest": LARGEST}
    succeeded = shapes.read(fetch_dicts(sql("drift.succeeded"), values))
    failed = shapes.read(fetch_dicts(sql("drift.failed"), values))
    return {
        which: shapes.added(succeeded.get(which, Hour()), failed.get(which, Hour()))
        for which in {*succeeded, *failed}
    }


def _judge(which: Which, came: Hour) -> int:
    """Add it to its hour, and tell what is different: of what came just now, or of the whole hour."""
    event_type, moment = which
    whole = shapes.add(event_type, moment, came)
    before = _before(event_type, moment)
    found = {(one.path, one.kind): one for one in (*changes(before, came), *changes(before, whole))}
    told = [change for change in found.values() if not _is_told(event_type, moment, change)]
    PayloadChange.objects.bulk_create(
        [_row(event_type, moment, change) for change in told], ignore_conflicts=True
    )
    return len(told)


def _before(event_type: str, moment: datetime) -> list[Hour]:
    moments = shapes.hours_before(event_type, moment, HOURS)
    return list(shapes.stored(event_type, moments).values())


def _is_told(event_type: str, moment: datetime, change: Drift) -> bool:
    """Whether it was told for this hour, or just before: what changes in the middle of an hour goes on."""
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
    """What was found in the last days, newest first."""
    since = _clock() - timedelta(days=days)
    return PayloadChange.objects.filter(hour__gte=since).order_by("-hour", "event_type", "path")[:limit]


def shortly_before(event_type: str, moment: datetime, limit: int = 8) -> QuerySet[PayloadChange]:
    """What has changed in a type's payloads in the day before something began, or in the hour of it."""
    rows = PayloadChange.objects.filter(event_type=event_type, hour__lte=moment)
    return rows.filter(hour__gt=moment - timedelta(days=1)).order_by("-hour", "path")[:limit]


def _clock() -> datetime:
    return fetch_dicts("SELECT clock_timestamp() AS now", {})[0]["now"]  # type: ignore[no-any-return]


def looked_until() -> datetime | None:
    """Up to when payloads have been looked at; None: never yet."""
    return ShapeProgress.objects.values_list("until", flat=True).first()


def left_out() -> int:
    """In the last hour that was looked at: paths that were too many, or whose names are somebody's data."""
    newest_hour = PayloadShape.objects.aggregate(newest=Max("hour"))["newest"]
    rows = PayloadShape.objects.filter(hour=newest_hour, path=shapes.WHOLE)
    return int(rows.aggregate(paths=Sum("left_out"))["paths"] or 0)
