"""The shapes of payloads by type and hour: what has come is added, and hours are read for comparison."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson

from dlqconsole.engine import gate
from dlqconsole.insight.models import PayloadShape
from dlqconsole.processing.drift import Hour
from dlqconsole.processing.payload_paths import Path, places, type_of, words

# so many paths of a type and hour are kept; what else there is is counted
MOST_PATHS = 200
LONGEST_PATH = 512
WHOLE = ""

type Rows = Iterable[Mapping[str, Any]]


def read(rows: Rows) -> dict[tuple[str, datetime], Hour]:
    """The hours that these payloads make, by type and hour.

    A row's ``events`` are those of its whole part: each payload of the part stands for as many as another.
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
            seen = hour.paths[path]
            seen.events += each
            seen.payloads += 1
            seen.types[kind] += each  # type: ignore[assignment]
    return hour


def _kinds(payload: Any) -> dict[str, str]:
    """Each path of a payload once, with the type of what stands there first."""
    kinds: dict[Path, str] = {}
    for path, value in places(payload):
        kinds.setdefault(path, type_of(value))
    return {words(path): kind for path, kind in kinds.items()}


def added(one: Hour, other: Hour) -> Hour:
    """Both together."""
    both = Hour(one.events + other.events, one.payloads + other.payloads)
    for hour in (one, other):
        for path, seen in hour.paths.items():
            sum_of = both.paths[path]
            sum_of.events += seen.events
            sum_of.payloads += seen.payloads
            sum_of.types.update(seen.types)
    return both


def add(event_type: str, moment: datetime, came: Hour) -> Hour:
    """Add what came to an hour that is kept; the whole hour then."""
    there = stored(event_type, [moment]).get(moment, Hour())
    whole = added(there, came)
    _keep(event_type, moment, whole, already=there)
    return whole


def _keep(event_type: str, moment: datetime, whole: Hour, already: Hour) -> None:
    kept = _chosen(whole, already)
    rows = [
        PayloadShape(
            event_type=event_type,
            hour=moment,
            path=path,
            events=whole.paths[path].events,
            payloads=whole.paths[path].payloads,
            types=dict(whole.paths[path].types),
        )
        for path in kept
    ]
    left_out = len(whole.paths) - len(kept)
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


def _chosen(whole: Hour, already: Hour) -> list[str]:
    """Those that are kept already, and the most frequent of the others, as far as there is room."""
    new = sorted(whole.paths.keys() - already.paths.keys(), key=lambda path: -whole.paths[path].payloads)
    return [*already.paths, *filter(_is_plain, new)][: max(MOST_PATHS, len(already.paths))]


def _is_plain(path: str) -> bool:
    """A key that holds somebody's address is no name of a field, and nothing to be kept."""
    return len(path) <= LONGEST_PATH and "\0" not in path and gate.shown(path) == path


def stored(event_type: str, moments: Iterable[datetime]) -> dict[datetime, Hour]:
    """Hours of a type as they are kept."""
    rows = PayloadShape.objects.filter(event_type=event_type, hour__in=list(moments))
    hours: defaultdict[datetime, Hour] = defaultdict(Hour)
    for moment, path, events, payloads, types in rows.values_list(
        "hour", "path", "events", "payloads", "types"
    ):
        hour = hours[moment]
        if path == WHOLE:
            hour.events, hour.payloads = events, payloads
        else:
            seen = hour.paths[path]
            seen.events, seen.payloads, seen.types = events, payloads, Counter(types)
    return dict(hours)


def hours_before(event_type: str, moment: datetime, most: int) -> list[datetime]:
    """The last hours before this one in which payloads of the type were looked at, oldest first."""
    rows = PayloadShape.objects.filter(event_type=event_type, path=WHOLE, hour__lt=moment)
    return sorted(rows.order_by("-hour").values_list("hour", flat=True)[:most])
