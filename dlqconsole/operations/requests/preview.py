"""The preview of an operation, for the page on which a person confirms it. Changes nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from dlqconsole.core.errors import EngineError
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.paces import GroupPace, visible_paces
from dlqconsole.engine.counts.summaries import Count, TooSlow, count, count_matching, time_budget
from dlqconsole.engine.models import Message
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.waiting_messages import StateCount
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import kinds, passed
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.requests import figures, pace
from dlqconsole.operations.requests.blockers import blockers
from dlqconsole.operations.requests.figures import Letters, OutOfTime, TimeBudget
from dlqconsole.operations.requests.scope import LetterScope, LogEntries, Matching, QueueMessages, Scope
from dlqconsole.processing.inputs.sentences import Sentence, stored
from dlqconsole.transports.message_actions import browser_of
from dlqconsole.transports.queue_overview import is_attached

# A person waits for these figures; after this time the worker counts, before it begins.
COUNT_BUDGET_MS = 2_000
# the number that is counted at least then
LEAST, LEAST_BUDGET_MS = 1_000, 500
# the most slowed groups that are looked for among the rows
MOST_SLOWED = 20
# the number of event types without a handler that are named one by one
NAMED_TYPES = 5
AGES = (
    Sentence("under 1 h"), Sentence("1 to 6 h"), Sentence("6 to 24 h"),
    Sentence("1 to 7 days"), Sentence("7 to 30 days"), Sentence("over 30 days"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ineligible:
    """The number of items in a state that will be skipped, and the reason."""

    status: str
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class SelectionPart:
    """A part of the selection: a label and its number of items."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The ``rows`` that share their business key, or data, with another; ``keys``: how many such values."""

    rows: int
    keys: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The figures of a preview. ``is_least``: counting took too long; there are ``total`` or more.

    None or an empty list: counting took too long, or it does not apply to the kind.
    """

    total: int
    eligible: int
    ineligible: list[Ineligible]
    is_least: bool = False
    # the part of the ineligible that no worker has a handler for
    unhandled: tuple[Ineligible, ...] = ()
    # the part of the ineligible that failed repeatedly after revivals
    coming: tuple[Ineligible, ...] = ()
    # the part of the ineligible that did not pass the chosen operation
    unproven: tuple[Ineligible, ...] = ()
    ages: tuple[SelectionPart, ...] = ()
    types: tuple[SelectionPart, ...] = ()
    categories: tuple[SelectionPart, ...] = ()
    duplicates: Duplicates | None = None
    ordering_keys: int | None = None
    # does it slow down by itself; and the groups of these event types that the schedule has slowed
    follows_pace: bool = False
    slow_groups: tuple[GroupPace, ...] = ()
    # the seconds that the operation will take; at least so many, if no pace ``is_measured``
    seconds: float | None = None
    is_measured: bool = False
    # the states of a queue's messages, those in a consumer's hands among them
    standing: tuple[StateCount, ...] = ()
    # the messages a second that the consumers of these queues completed at their best lately
    consumers: float | None = None
    # it puts messages on queues: their consumers decide how soon it is over
    feeds_queues: bool = False
    # the reasons why its work will wait: breakers, pauses, queues without a consumer
    blockers: tuple[str, ...] = ()
    # some of the queues have consumers of another system, which report nothing
    elsewhere: bool = False


def preview(kind: str, scope: Scope, options: Mapping[str, Any] | None = None) -> Preview:
    """Count the items that would be selected, those that would be skipped, and the parts of the selection."""
    if isinstance(scope, QueueMessages):
        return _of_messages(kind, scope, (options or {}).get("rate"))
    return _of_letters(kind, scope, options or {})


def numbers(kind: str, scope: Scope | LogEntries, options: Mapping[str, Any]) -> tuple[Count, int]:
    """Count the items that would be selected, and those acted on: the preview's first two figures alone."""
    if isinstance(scope, LogEntries):
        return scope.found, scope.found.value
    if isinstance(scope, QueueMessages):
        result = _of_messages(kind, scope, None)
        return Count(result.total, result.is_least), result.eligible
    try:
        selection = _select(kinds.get(kind), scope, options, TimeBudget(COUNT_BUDGET_MS))
    except OutOfTime:
        least = _at_least(kind, _least(scope), None)
        return Count(least.total, is_least=True), least.eligible
    return Count(selection.total), selection.able


def _of_messages(kind: str, scope: QueueMessages, rate: int | None) -> Preview:
    """The preview over a queue's messages. Those in a consumer's hands are not selected."""
    try:
        browser, there = browser_of(scope.queue)
        with time_budget(COUNT_BUDGET_MS):
            standing = tuple(browser.standing(there, scope.up_to))
    except TooSlow:
        return _at_least(kind, _count_first_messages(scope), rate)
    except EngineError as problem:  # its system does not answer
        raise OperationRefused(translated(problem)) from problem
    number = kinds.get(kind).count({each.status: each.number for each in standing})
    return Preview(number, number, [], standing=standing, **_duration(kind, number, rate))


@dataclass(frozen=True, slots=True)
class _Selection:
    """The dead letters of a scope: their number, their parts, and those that are skipped."""

    census: dict[str, list[tuple[str, int, int]]]
    total: int
    # the number acted on
    able: int
    ineligible: list[Ineligible]
    unproven: list[Ineligible]
    unhandled: list[Ineligible]
    coming: list[Ineligible]


def _select(kind: Kind, scope: LetterScope, options: Mapping[str, Any], budget: TimeBudget) -> _Selection:
    """Count the dead letters of a scope. Raises OutOfTime where there was no time for it."""
    rows, passed_id = scope.queryset(), passed.operation_of(options)
    letters = passed.filter_passed(rows, passed_id)
    census = figures.census(rows, budget)
    unproven = _unproven(kind, census["status"], letters, passed_id, budget)
    counts = {status: number for status, number, _parts in census["status"]}
    # rows out of scope do not count as deleted
    visible = sum(counts.values())
    total = visible if current_access().is_limited else scope.number(visible)
    without_handler = _unhandled(kind, letters, budget)
    coming = _coming(letters, kind, budget) if figures.skips_come_backs(kind, scope, options) else []
    able = kind.count(counts) - sum(row.count for row in (*unproven, *without_handler, *coming))
    ineligible = _ineligible(kind, counts, total - visible)
    return _Selection(census, total, able, ineligible, unproven, without_handler, coming)


def _of_letters(kind: str, scope: LetterScope, options: Mapping[str, Any]) -> Preview:
    rules, rate = kinds.get(kind), options.get("rate")
    rows, budget = scope.queryset(), TimeBudget(COUNT_BUDGET_MS)
    try:
        selection = _select(rules, scope, options, budget)
    except OutOfTime:
        return _at_least(kind, _least(scope), rate)
    census, able = selection.census, selection.able
    duplicates, keys = _shared_and_keys(rows, budget)
    # a revive may go to another queue than each one's origin
    to_queue = options.get("to_queue")
    queues = [to_queue] if to_queue else [value for value, _number, _parts in census["queue"] if value]
    return Preview(
        selection.total,
        able,
        [*selection.ineligible, *selection.unproven, *selection.unhandled, *selection.coming],
        unproven=tuple(selection.unproven),
        unhandled=tuple(selection.unhandled),
        coming=tuple(selection.coming),
        ages=_ages(census["age"]),
        types=_parts(census["type"]),
        categories=_parts(census["category"]),
        duplicates=duplicates,
        ordering_keys=keys,
        **_duration(kind, able, rate),
        follows_pace=pace.follows(kind, able, options),
        slow_groups=_slow_groups(kind, able, options, census["type"], rows),
        consumers=_capacity(rules, queues),
        feeds_queues=rules.feeds_queues,
        blockers=_blockers(rules, census["type"], queues),
        elsewhere=rules.feeds_queues and any(map(is_attached, queues)),
    )


def _blockers(kind: Kind, types: Any, queues: Sequence[str]) -> tuple[str, ...]:
    """The blockers. A dead letter without a queue is revived onto that of its event type's name."""
    names = [value for value, _number, _parts in types if value]
    return blockers(kind, names, queues or names)


def _ineligible(kind: Kind, counts: dict[str, int], missing: int) -> list[Ineligible]:
    reasons = kind.why_not()
    ineligible = [
        Ineligible(status, counts[status], reasons[status]) for status in sorted(counts.keys() & reasons)
    ]
    if missing > 0:
        ineligible.append(Ineligible("", missing, Sentence(stored("no longer exists"))))
    return ineligible


def _unproven(
    kind: Kind, by_status: Any, letters: Letters, passed_id: int | None, budget: TimeBudget
) -> list[Ineligible]:
    """The items that did not pass the chosen operation. Raises OutOfTime."""
    if passed_id is None:
        return []
    eligible = kind.count({status: number for status, number, _parts in by_status})
    number = eligible - figures.number(letters.filter(status__in=kind.eligible()), budget)
    why = Sentence("did not pass operation {passed_id}, or changed since", passed_id=passed_id)
    return [Ineligible("", number, why)] if number else []


def _unhandled(kind: Kind, rows: Letters, budget: TimeBudget) -> list[Ineligible]:
    """The items without a handler, a reason for each type; the rarer types together."""
    if not kind.runs_handlers:
        return []
    try:
        types = figures.unhandled(rows, kind, budget)
    except OutOfTime:
        return []
    frequent, rest = types[:NAMED_TYPES], types[NAMED_TYPES:]
    reasons = [Ineligible("", number, why) for number, why in frequent]
    if rest:
        number = sum(number for number, _why in rest)
        reasons.append(Ineligible("", number, kind.why_not_run_others(len(rest))))
    return reasons


def _coming(rows: Letters, kind: Kind, budget: TimeBudget) -> list[Ineligible]:
    """The items that failed repeatedly and are left to a person."""
    try:
        number = figures.number(figures.come_backs_among(rows, kind.eligible()), budget)
    except OutOfTime:
        return []
    return [Ineligible("", number, figures.why_come_backs())] if number else []


def _shared_and_keys(rows: Letters, budget: TimeBudget) -> tuple[Duplicates | None, int | None]:
    """Count duplicates and ordering keys, the dearest last: then the cheap figure is known in any case."""
    keys: int | None = None
    try:
        keys = figures.ordering_keys(rows, budget)
        return Duplicates(*figures.duplicates(rows, budget)), keys
    except OutOfTime:
        return None, keys


def _ages(rows: list[tuple[str, int, int]]) -> tuple[SelectionPart, ...]:
    numbers = {int(value): number for value, number, _parts in rows}
    return tuple(SelectionPart(label, numbers.get(place, 0)) for place, label in enumerate(AGES))


def _parts(rows: list[tuple[str, int, int]]) -> tuple[SelectionPart, ...]:
    return tuple(
        SelectionPart(value or Sentence("{parts:,} others", parts=parts), number)
        for value, number, parts in rows
    )


def _duration(kind: str, number: int, rate: int | None) -> dict[str, Any]:
    """Estimate the seconds: at the chosen rate, or at the pace of such operations if that is slower.

    What their consumers completed lately is no pace: they may have had nothing to do.
    """
    real_pace = figures.pace(kind)
    rates = [pace for pace in (rate, real_pace) if pace]
    return {"seconds": number / min(rates) if rates else None, "is_measured": bool(real_pace)}


def _slow_groups(
    kind: str, number: int, options: Mapping[str, Any], types: list[tuple[str, int, int]], rows: Letters
) -> tuple[GroupPace, ...]:
    """The groups of these rows that the schedule has slowed, slowest first: these may fail again."""
    if not pace.follows(kind, number, options):
        return ()
    names = [event_type for event_type, _number, _parts in types if event_type]
    slowed = visible_paces(names, slowed=True)[:MOST_SLOWED]
    try:
        with time_budget(LEAST_BUDGET_MS):
            return tuple(each for each in slowed if _has(rows, each.group_id))
    except TooSlow:
        return tuple(slowed)


def _has(rows: Letters, group_id: int) -> bool:
    """Tell whether any of these rows is in a group; without one (0) the whole event type is slowed."""
    return not group_id or rows.order_by().filter(group_id=group_id).exists()


def _capacity(kind: Kind, queues: Collection[str]) -> float | None:
    """The messages a second that the consumers of these queues really completed; None where unknown."""
    if not kind.feeds_queues or not queues:
        return None
    return queue_metrics.most_completed_per_minute(queues) / 60 or None


def _at_least(kind: str, number: int, rate: int | None) -> Preview:
    """The preview without time to count: it knows a least number, or nothing."""
    duration = _duration(kind, number, rate) if number else {}
    return Preview(number, number, [], is_least=True, **duration)


def _least(scope: LetterScope) -> int:
    """The least number: as the list counts for the same filter, or the first rows counted."""
    if isinstance(scope, Matching) and not scope.states:
        return count_matching(scope.filter, LEAST_BUDGET_MS).value
    return _count_first(scope.queryset())


def _count_first_messages(scope: QueueMessages) -> int:
    if is_attached(scope.queue):
        browser, there = browser_of(scope.queue)
        return len(browser.page(there, "live").rows)
    return _count_first(Message.objects.filter(queue=scope.queue, pk__lte=scope.up_to))


def _count_first(rows: QuerySet[Any]) -> int:
    return count(rows.order_by().values("pk")[:LEAST], LEAST_BUDGET_MS).value
