"""The common ground of a failure group: its dead letters compared with successes, masked, and row."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.utils import timezone

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.insight.models import CommonGround
from dlqconsole.insight.showing import TraitWords, shown
from dlqconsole.insight.sql import sql
from dlqconsole.processing.common_ground import Tally, common_traits, tally

# the most that is read: failures chosen by chance AMONG the newest of the group, and the newest successes
MOST_FAILURES, AMONG, MOST_SUCCESSES = 2_000, 50_000, 5_000
LARGEST = 65_536  # bytes
BUDGET = 700  # milliseconds for reading
FRESH = timedelta(minutes=10)
# with so many samples taken by the rate, the first samples of each minute are left out
ENOUGH_BY_RATE = 500
MOST_TRAITS = 10

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ground:
    """The traits that a group's failures share, and the events that they were computed from.

    ``failures`` of ``event_type``, chosen by chance among the newest ``among`` of the group, were compared
    with ``successes`` since ``since`` (None: there are none). ``unread``: dead letters that are too large or
    no JSON; ``others``: of other event types in the group.
    """

    event_type: str
    failures: int
    among: int
    unread: int
    others: int
    successes: int
    since: datetime | None
    found: list[TraitWords]
    computed_at: datetime
    too_slow: bool = False


def ground_of(group_id: int) -> Ground:
    """Return a group's common ground; compute it anew where it is older than ten minutes."""
    row = CommonGround.objects.filter(pk=group_id, computed_at__gt=timezone.now() - FRESH).first()
    if row is not None:
        return _from_json(row.found, row.computed_at)
    try:
        ground = compute(group_id)
    except TooSlow:
        return Ground("", 0, 0, 0, 0, 0, None, [], timezone.now(), too_slow=True)
    values = {"id": group_id, "found": orjson.dumps(asdict(ground)).decode()}
    [computed_at] = fetch_column(sql("common.keep"), values)
    return replace(ground, computed_at=computed_at)


def compute(group_id: int) -> Ground:
    """Read the payloads and compare them. Raises TooSlow where reading takes too long."""
    letters = _failures(group_id)
    event_type, others = _main_type(letters)
    samples = _successes(event_type)
    payloads = _payloads([row for row in letters if row["event_type"] == event_type])
    failures, successes = tally(payloads), tally(_payloads(samples))
    return Ground(
        event_type=event_type,
        failures=failures.payloads,
        among=max((row["of"] for row in letters), default=0),
        unread=len(letters) - others - failures.payloads,
        others=others,
        successes=successes.payloads,
        since=min((row["sampled_at"] for row in samples), default=None),
        found=_traits(failures, successes),
        computed_at=timezone.now(),
    )


def _traits(failures: Tally, successes: Tally) -> list[TraitWords]:
    traits = (shown(finding) for finding in common_traits(failures, successes))
    return [trait for trait in traits if trait is not None][:MOST_TRAITS]


def _failures(group_id: int) -> list[Row]:
    """Read some of the newest 50,000 dead letters, or all of the newest 2,000 where that takes too long."""
    try:
        return _failures_among(group_id, AMONG)
    except TooSlow:
        return _failures_among(group_id, MOST_FAILURES)


def _failures_among(group_id: int, among: int) -> list[Row]:
    statuses = list(DeadLetterStatus)
    values = {
        "id": group_id,
        "statuses": statuses,
        "limit": MOST_FAILURES,
        "among": among,
        "largest": LARGEST,
    }
    with time_budget(BUDGET):
        return fetch_dicts(sql("common.failures"), values)


def _successes(event_type: str) -> list[Row]:
    values = {"event_type": event_type, "limit": MOST_SUCCESSES}
    with time_budget(BUDGET):
        rows = fetch_dicts(sql("common.successes"), values)
    by_rate = [row for row in rows if row["by_rate"]]
    return by_rate if len(by_rate) >= ENOUGH_BY_RATE else rows


def _main_type(letters: Sequence[Row]) -> tuple[str, int]:
    """The most frequent event type, and the number of dead letters of others: groups can be merged."""
    counts = Counter(row["event_type"] for row in letters).most_common(1)
    return (counts[0][0], len(letters) - counts[0][1]) if counts else ("", 0)


def _payloads(rows: Sequence[Row]) -> list[Any]:
    return [orjson.loads(row["payload"]) for row in rows if row["payload"] is not None]


def _from_json(document: dict[str, Any], computed_at: datetime) -> Ground:
    since = document["since"] and datetime.fromisoformat(document["since"])
    traits = [TraitWords(**trait) for trait in document["found"]]
    return Ground(**document | {"since": since, "found": traits, "computed_at": computed_at})
