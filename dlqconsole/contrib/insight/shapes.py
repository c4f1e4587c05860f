"""The shapes of payloads by type and hour: add new payloads, and read hours for comparison."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson

from dlqconsole.contrib.insight.models import PayloadShape
from dlqconsole.contrib.insight.statistics.drift import Hour
from dlqconsole.contrib.insight.statistics.payload_paths import Path, places, type_of, words
from dlqconsole.engine import gate

# the most paths of a type and hour that are stored; the others are only counted
MOST_PATHS = 200
LONGEST_PATH = 512
WHOLE = ""

type Rows = Iterable[Mapping[str, Any]]


def read(rows: Rows) -> dict[tuple[str, datetime], Hour]:
    """Add these payloads up to hours, by type and hour.

    A row's ``events`` count all events of its type and hour; each payload stands for an equal share.
    """
    parts: defaultdict[tuple[str, datetime], list[Any]] = defaultdict(list)
    events: dict[tuple[str, datetime], float] = {}
    for row in rows:
        which = (row["event_type"], row["hour"])
        parts[which].append(orjson.loads(row["payload"]))
        events[which] = float(row["events"])
    return {which: _hour(payloads, events[which]) for which, payloads in parts.items()}


def _hour(payloads: list[Any], events: float) -> Hour:
    hour, each = Hour(), events / len(payloads)
    for payload in payloads:
        hour.events += each
        hour.payloads += 1
        for path, kind in _kinds(payload).items():
            of_path = hour.paths[path]
            of_path.events += each
            of_path.payloads += 1
            of_path.types[kind] += each  # type: ignore[assignment]
    return hour


def _kinds(payload: Any) -> dict[str, str]:
    """Each path of a payload once, with the type of its first value."""
    kinds: dict[Path, str] = {}
    for path, value in places(payload):
        kinds.setdefault(path, type_of(value))
    return {words(path): kind for path, kind in kinds.items()}


def sum_of_hours(one: Hour, other: Hour) -> Hour:
    """Add two hours up."""
    both = Hour(one.events + other.events, one.payloads + other.payloads)
    for hour in (one, other):
        for path, of_path in hour.paths.items():
            total = both.paths[path]
            total.events += of_path.events
            total.payloads += of_path.payloads
            total.types.update(of_path.types)
    return both


def add(event_type: str, moment: datetime, new_part: Hour) -> Hour:
    """Add new payloads to a stored hour; return the whole hour."""
    old = stored_hours(event_type, [moment]).get(moment, Hour())
    whole = sum_of_hours(old, new_part)
    _keep(event_type, moment, whole, old=old)
    return whole


def _keep(event_type: str, moment: datetime, whole: Hour, old: Hour) -> None:
    paths = _paths_to_keep(whole, old)
    rows = [
        PayloadShape(
            event_type=event_type,
            hour=moment,
            path=path,
            events=whole.paths[path].events,
            payloads=whole.paths[path].payloads,
            types=dict(whole.paths[path].types),
        )
        for path in paths
    ]
    left_out = len(whole.paths) - len(paths)
    total = PayloadShape(
        event_type=event_type,
        hour=moment,
        path=WHOLE,
        events=whole.events,
        payloads=whole.payloads,
        types={},
        left_out=left_out,
    )
    PayloadShape.objects.bulk_create(
        [total, *rows],
        update_conflicts=True,
        unique_fields=["event_type", "hour", "path"],
        update_fields=["events", "payloads", "types", "left_out"],
    )


def _paths_to_keep(whole: Hour, old: Hour) -> list[str]:
    """The paths that are stored already, and the most frequent of the others, as far as there is room."""
    new = sorted(whole.paths.keys() - old.paths.keys(), key=lambda path: -whole.paths[path].payloads)
    return [*old.paths, *filter(_is_plain, new)][: max(MOST_PATHS, len(old.paths))]


def _is_plain(path: str) -> bool:
    """Tell whether a path may be stored: a key that is somebody's address is no name of a field."""
    return len(path) <= LONGEST_PATH and "\0" not in path and gate.shown(path) == path


def stored_hours(event_type: str, moments: Iterable[datetime]) -> dict[datetime, Hour]:
    """Read the stored hours of a type."""
    rows = PayloadShape.objects.filter(event_type=event_type, hour__in=list(moments))
    hours: defaultdict[datetime, Hour] = defaultdict(Hour)
    for moment, path, events, payloads, types in rows.values_list(
        "hour", "path", "events", "payloads", "types"
    ):
        hour = hours[moment]
        if path == WHOLE:
            hour.events, hour.payloads = events, payloads
        else:
            of_path = hour.paths[path]
            of_path.events, of_path.payloads, of_path.types = events, payloads, Counter(types)
    return dict(hours)


def hours_before(event_type: str, moment: datetime, most: int) -> list[datetime]:
    """The last hours before this one in which payloads of the type were looked at, oldest first."""
    rows = PayloadShape.objects.filter(event_type=event_type, path=WHOLE, hour__lt=moment)
    return sorted(rows.order_by("-hour").values_list("hour", flat=True)[:most])
