"""What an operation would do, for the page on which a person confirms it. Changes nothing."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from dlqconsole.engine.counts.summaries import TooSlow, count, time_budget
from dlqconsole.engine.models import Message
from dlqconsole.engine.pacing import TypePace, paces
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import purging
from dlqconsole.engine.queues.purging import Standing
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import come_backs, kinds, pacing, predictions
from dlqconsole.operations import preview_figures as figures
from dlqconsole.operations.blockers import blockers
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.preview_figures import Budget, OutOfTime, Rows
from dlqconsole.operations.scope import LetterScope, Matching, QueueMessages, Scope
from dlqconsole.transports.queue_overview import is_attached

# A person waits for these figures; beyond it an estimate will do.
COUNT_BUDGET_MS = 2_000
# so many event types without a handler are told one by one
NAMED_TYPES = 5
AGES = ("under 1 h", "1 to 6 h", "6 to 24 h", "1 to 7 days", "7 to 30 days", "over 30 days")


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
    # of the ineligible those that no worker has a handler for
    unhandled: tuple[Ineligible, ...] = ()
    # of the ineligible what keeps coming back
    coming: tuple[Ineligible, ...] = ()
    # of the ineligible what did not pass the rehearsal that was asked for
    unproven: tuple[Ineligible, ...] = ()
    ages: tuple[Part, ...] = ()
    types: tuple[Part, ...] = ()
    categories: tuple[Part, ...] = ()
    duplicates: Duplicates | None = None
    ordering_keys: int | None = None
    # whether it slows down by itself, and which of the event types told here are slowed now
    follows_pace: bool = False
    slowed: tuple[TypePace, ...] = ()
    # seconds that the operation itself will take; at least so many, where no pace was ``measured``
    seconds: float | None = None
    measured: bool = False
    # of a queue's messages how they stand there, those in a consumer's hands among them
    standing: tuple[Standing, ...] = ()
    # messages a minute that the consumers of the queues concerned complete
    consumers: float | None = None
    # why what it does will wait: breakers, pauses, queues without a consumer
    blockers: tuple[str, ...] = ()
    # some of the queues are handled by consumers of another system, who tell us nothing
    elsewhere: bool = False
    # so many more may match: nobody has looked at their texts yet, and they are no part of it
    unsearched: int = 0


def preview(kind: str, scope: Scope, reach: Reach, options: Mapping[str, Any] | None = None) -> Preview:
    """Count what would be selected, what of it would be skipped, and what it consists of."""
    if isinstance(scope, QueueMessages):
        return _of_messages(kind, scope, (options or {}).get("rate"))
    return _of_letters(kind, scope, reach, options or {})


def _of_messages(kind: str, scope: QueueMessages, rate: int | None) -> Preview:
    """What a consumer has in hand is not selected."""
    try:
        with time_budget(COUNT_BUDGET_MS):
            found = tuple(purging.standing(scope.queue, scope.up_to))
    except TooSlow:
        estimate = count(Message.objects.filter(queue=scope.queue, pk__lte=scope.up_to), 1).value
        return Preview(estimate, estimate, [], approximate=True, **_duration(kind, estimate, rate))
    number = kinds.get(kind).count({each.status: each.number for each in found})
    return Preview(number, number, [], standing=found, **_duration(kind, number, rate))


def _of_letters(kind: str, scope: LetterScope, reach: Reach, chosen: Mapping[str, Any]) -> Preview:
    rules, rate = kinds.get(kind), chosen.get("rate")
    rows = scope.queryset(reach)
    budget = Budget(COUNT_BUDGET_MS)
    rehearsal = predictions.rehearsal_of(chosen)
    meant = predictions.passed(rows, rehearsal)
    try:
        census = figures.census(rows, budget)
        unproven = _unproven(rules, census["status"], meant, rehearsal, budget)
    except OutOfTime:
        estimate = _estimate(rows)
        return Preview(estimate, estimate, [], approximate=True, **_duration(kind, estimate, rate))
    counts = {status: number for status, number, _parts in census["status"]}
    # what is out of reach is not there: it does not count as gone
    found = sum(counts.values())
    total = found if reach.is_limited else scope.number(found)
    unhandled = _unhandled(rules, meant, budget)
    coming = _coming(meant, rules, budget) if come_backs.are_left(rules, scope, chosen) else []
    able = rules.count(counts) - sum(row.count for row in (*unproven, *unhandled, *coming))
    shared, keys = _shared_and_keys(rows, budget)
    # a revive may go to another queue than each one's origin
    to_queue = chosen.get("to_queue")
    queues = [to_queue] if to_queue else [value for value, _number, _parts in census["queue"] if value]
    return Preview(
        total,
        able,
        [*_skipped(rules, counts, total - found), *unproven, *unhandled, *coming],
        unproven=tuple(unproven),
        unhandled=tuple(unhandled),
        coming=tuple(coming),
        ages=_ages(census["age"]),
        types=_parts(census["type"]),
        categories=_parts(census["category"]),
        duplicates=shared,
        ordering_keys=keys,
        **_paced(kind, able, rate, chosen, census["type"]),
        consumers=_consumers(rules, queues),
        blockers=_blockers(rules, census["type"], queues),
        elsewhere=rules.feeds_queues and any(map(is_attached, queues)),
        unsearched=_unsearched(scope, reach, budget),
    )


def _unsearched(scope: LetterScope, reach: Reach, budget: Budget) -> int:
    if not isinstance(scope, Matching) or not scope.filter.is_search:
        return 0
    try:
        # what waits now: what was looked at since the page was counted would be asked of every row
        return figures.number(scope.filter.unsearched(reach), budget)
    except OutOfTime:
        return 0


def _blockers(kind: Kind, types: Any, queues: Sequence[str]) -> tuple[str, ...]:
    """What was never on a queue is revived onto the one of its event type's name."""
    names = [value for value, _number, _parts in types if value]
    return blockers(kind, names, queues or names)


def _skipped(kind: Kind, counts: dict[str, int], missing: int) -> list[Ineligible]:
    reasons = kind.why_not()
    skipped = [
        Ineligible(status, counts[status], reasons[status]) for status in sorted(counts.keys() & reasons)
    ]
    return [*skipped, Ineligible("", missing, "no longer exists")] if missing > 0 else skipped


def _unproven(
    kind: Kind, by_status: Any, meant: Rows, rehearsal: int | None, budget: Budget
) -> list[Ineligible]:
    """What did not pass the rehearsal by which it goes. Raises OutOfTime."""
    if rehearsal is None:
        return []
    taken = kind.count({status: number for status, number, _parts in by_status})
    number = taken - figures.number(meant.filter(status__in=kind.eligible()), budget)
    why = f"did not pass rehearsal {rehearsal}, or changed since"
    return [Ineligible("", number, why)] if number else []


def _unhandled(kind: Kind, rows: Rows, budget: Budget) -> list[Ineligible]:
    """What has no handler, a reason a type; the rarer types together."""
    if not kind.runs_handlers:
        return []
    try:
        found = figures.unhandled(rows, kind, budget)
    except OutOfTime:
        return []
    named, rest = found[:NAMED_TYPES], found[NAMED_TYPES:]
    reasons = [Ineligible("", number, why) for number, why in named]
    if rest:
        others = (
            f"nor can those of {len(rest):,} other event types"
            if kind.rehearses
            else (f"no handler is declared for {len(rest):,} other event types")
        )
        reasons.append(Ineligible("", sum(number for number, _why in rest), others))
    return reasons


def _coming(rows: Rows, kind: Kind, budget: Budget) -> list[Ineligible]:
    """What keeps coming back, and is left to a person."""
    try:
        number = figures.number(come_backs.among(rows, kind.eligible()), budget)
    except OutOfTime:
        return []
    return [Ineligible("", number, come_backs.why())] if number else []


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


def _duration(kind: str, number: int, rate: int | None) -> dict[str, Any]:
    """How long it takes: at the chosen rate, or at the pace of those before it where that is slower."""
    measured = figures.pace(kind)
    known = [pace for pace in (rate, measured) if pace]
    return {"seconds": number / min(known) if known else None, "measured": bool(measured)}


def _paced(
    kind: str, number: int, rate: int | None, chosen: Mapping[str, Any], types: list[tuple[str, int, int]]
) -> dict[str, Any]:
    """The same, and slower where what comes back has slowed one of the larger event types."""
    found = _duration(kind, number, rate)
    if not pacing.follows(kind, number, chosen):
        return found
    numbers = {event_type: of_type for event_type, of_type, _parts in types if event_type}
    slowed = tuple(paces(numbers, slowed=True))
    if slowed:
        longest = max(numbers[each.event_type] / each.rate for each in slowed if each.rate)
        found["seconds"] = max(found["seconds"] or 0.0, longest)
    return found | {"slowed": slowed, "follows_pace": True}


def _consumers(kind: Kind, queues: Collection[str]) -> float | None:
    return queue_metrics.completed_per_minute(queues) if kind.feeds_queues and queues else None


def _estimate(rows: Rows) -> int:
    """What the planner believes."""
    select, parameters = rows.values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + select, parameters)
        row = cursor.fetchone()
    plan = row[0] if row else "[]"
    steps = json.loads(plan) if isinstance(plan, str) else plan
    return int(steps[0]["Plan"]["Plan Rows"]) if steps else 0
