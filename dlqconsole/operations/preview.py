"""What an operation would do, for the page on which a person confirms it. Changes nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from dlqconsole.engine.counts.summaries import Count, TooSlow, count, count_matching, time_budget
from dlqconsole.engine.models import Message
from dlqconsole.engine.pacing import GroupPace, paces
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import purging
from dlqconsole.engine.queues.purging import StateCount
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import come_backs, kinds, pacing, predictions
from dlqconsole.operations import preview_figures as figures
from dlqconsole.operations.blockers import blockers
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.preview_figures import Budget, OutOfTime, Rows
from dlqconsole.operations.scope import LetterScope, Matching, QueueMessages, Scope
from dlqconsole.transports.queue_overview import is_attached

# A person waits for these figures; beyond it the worker counts, before it begins.
COUNT_BUDGET_MS = 2_000
# so many are looked for then
LEAST, LEAST_BUDGET_MS = 1_000, 500
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
    """``is_least``: counting took too long; there are ``total`` or more, the rest is not known.

    None, and an empty list, is what could not be counted in time, or does not apply to the kind.
    """

    total: int
    eligible: int
    ineligible: list[Ineligible]
    is_least: bool = False
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
    # whether it slows down by itself, and what of the event types told here the schedule has slowed
    follows_pace: bool = False
    slowed: tuple[GroupPace, ...] = ()
    # seconds that the operation itself will take; at least so many, where no pace was ``measured``
    seconds: float | None = None
    measured: bool = False
    # of a queue's messages how they stand there, those in a consumer's hands among them
    standing: tuple[StateCount, ...] = ()
    # messages a second that the consumers of the queues concerned have really completed, at their best lately
    consumers: float | None = None
    # it puts messages on queues: their consumers decide how soon it is over
    feeds_queues: bool = False
    # why what it does will wait: breakers, pauses, queues without a consumer
    blockers: tuple[str, ...] = ()
    # some of the queues are handled by consumers of another system, who tell us nothing
    elsewhere: bool = False


def preview(kind: str, scope: Scope, reach: Reach, options: Mapping[str, Any] | None = None) -> Preview:
    """Count what would be selected, what of it would be skipped, and what it consists of."""
    if isinstance(scope, QueueMessages):
        return _of_messages(kind, scope, (options or {}).get("rate"))
    return _of_letters(kind, scope, reach, options or {})


def numbers(kind: str, scope: Scope, reach: Reach, options: Mapping[str, Any]) -> tuple[Count, int]:
    """How many would be selected, and how many of them acted on: the preview's first two figures alone."""
    if isinstance(scope, QueueMessages):
        found = _of_messages(kind, scope, None)
        return Count(found.total, found.is_least), found.eligible
    try:
        chosen = _select(kinds.get(kind), scope, reach, options, Budget(COUNT_BUDGET_MS))
    except OutOfTime:
        least = _at_least(kind, _least(scope, reach), None)
        return Count(least.total, is_least=True), least.eligible
    return Count(chosen.total), chosen.able


def _of_messages(kind: str, scope: QueueMessages, rate: int | None) -> Preview:
    """What a consumer has in hand is not selected."""
    try:
        with time_budget(COUNT_BUDGET_MS):
            found = tuple(purging.standing(scope.queue, scope.up_to))
    except TooSlow:
        messages = Message.objects.filter(queue=scope.queue, pk__lte=scope.up_to)
        return _at_least(kind, _counted_first(messages), rate)
    number = kinds.get(kind).count({each.status: each.number for each in found})
    return Preview(number, number, [], standing=found, **_duration(kind, number, rate))


@dataclass(frozen=True, slots=True)
class _Selection:
    """The dead letters of a scope: how many, of what, and who of them is left out."""

    census: dict[str, list[tuple[str, int, int]]]
    total: int
    # acted on
    able: int
    skipped: list[Ineligible]
    unproven: list[Ineligible]
    unhandled: list[Ineligible]
    coming: list[Ineligible]


def _select(
    kind: Kind, scope: LetterScope, reach: Reach, chosen: Mapping[str, Any], budget: Budget
) -> _Selection:
    """Raises OutOfTime where there was no time to count them."""
    rows, rehearsal = scope.queryset(reach), predictions.rehearsal_of(chosen)
    meant = predictions.passed(rows, rehearsal)
    census = figures.census(rows, budget)
    unproven = _unproven(kind, census["status"], meant, rehearsal, budget)
    counts = {status: number for status, number, _parts in census["status"]}
    # what is out of reach is not there: it does not count as gone
    found = sum(counts.values())
    total = found if reach.is_limited else scope.number(found)
    unhandled = _unhandled(kind, meant, budget)
    coming = _coming(meant, kind, budget) if come_backs.are_left(kind, scope, chosen) else []
    able = kind.count(counts) - sum(row.count for row in (*unproven, *unhandled, *coming))
    skipped = _skipped(kind, counts, total - found)
    return _Selection(census, total, able, skipped, unproven, unhandled, coming)


def _of_letters(kind: str, scope: LetterScope, reach: Reach, chosen: Mapping[str, Any]) -> Preview:
    rules, rate = kinds.get(kind), chosen.get("rate")
    rows, budget = scope.queryset(reach), Budget(COUNT_BUDGET_MS)
    try:
        found = _select(rules, scope, reach, chosen, budget)
    except OutOfTime:
        return _at_least(kind, _least(scope, reach), rate)
    census, able = found.census, found.able
    shared, keys = _shared_and_keys(rows, budget)
    # a revive may go to another queue than each one's origin
    to_queue = chosen.get("to_queue")
    queues = [to_queue] if to_queue else [value for value, _number, _parts in census["queue"] if value]
    capacity = _capacity(rules, queues)
    return Preview(
        found.total,
        able,
        [*found.skipped, *found.unproven, *found.unhandled, *found.coming],
        unproven=tuple(found.unproven),
        unhandled=tuple(found.unhandled),
        coming=tuple(found.coming),
        ages=_ages(census["age"]),
        types=_parts(census["type"]),
        categories=_parts(census["category"]),
        duplicates=shared,
        ordering_keys=keys,
        **_duration(kind, able, rate, capacity),
        follows_pace=pacing.follows(kind, able, chosen),
        slowed=_slowed(kind, able, chosen, census["type"]),
        consumers=capacity,
        feeds_queues=rules.feeds_queues,
        blockers=_blockers(rules, census["type"], queues),
        elsewhere=rules.feeds_queues and any(map(is_attached, queues)),
    )


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


def _duration(kind: str, number: int, rate: int | None, capacity: float | None = None) -> dict[str, Any]:
    """How long it takes: at the chosen rate, or as fast as such operations really were where that is slower.

    ``capacity``: what their consumers did at their best; it counts where no such operation is known.
    """
    measured = figures.pace(kind) or capacity
    known = [pace for pace in (rate, measured) if pace]
    return {"seconds": number / min(known) if known else None, "measured": bool(measured)}


def _slowed(
    kind: str, number: int, chosen: Mapping[str, Any], types: list[tuple[str, int, int]]
) -> tuple[GroupPace, ...]:
    """What of these event types the schedule has slowed, the slowest first: it may come back here, too."""
    names = [event_type for event_type, _number, _parts in types if event_type]
    return tuple(paces(names, slowed=True)) if pacing.follows(kind, number, chosen) else ()


def _capacity(kind: Kind, queues: Collection[str]) -> float | None:
    """What the consumers of these queues have really completed a second; None where nobody knows."""
    if not kind.feeds_queues or not queues:
        return None
    return queue_metrics.most_completed_per_minute(queues) / 60 or None


def _at_least(kind: str, number: int, rate: int | None) -> Preview:
    """What is known where there was no time to count: that there are so many, or nothing."""
    known = _duration(kind, number, rate) if number else {}
    return Preview(number, number, [], is_least=True, **known)


def _least(scope: LetterScope, reach: Reach) -> int:
    """So many there are at least: what the list says of the same filter, or the first of them."""
    if isinstance(scope, Matching) and not scope.states and scope.up_to is None:
        return count_matching(scope.filter, reach, LEAST_BUDGET_MS).value
    return _counted_first(scope.queryset(reach))


def _counted_first(rows: QuerySet[Any]) -> int:
    return count(rows.order_by().values("pk")[:LEAST], LEAST_BUDGET_MS).value
