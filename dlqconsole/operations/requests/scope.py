"""The scope of an operation: ticked rows, a filter's matches, another one's items, a queue's messages."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Max, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import translation
from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES, Items
from dlqconsole.operations.models import Fate, ItemStatus, OperationItem, every_kind
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.transports.message_actions import browser_of, is_browsed
from dlqconsole.transports.queue_overview import is_attached

IDS_LIMIT = 10_000

_NOTHING: dict[str, object] = {
    "ids": "[]",
    "filter": "{}",
    "states": None,
    "source_operation_id": None,
    "source_outcome": "",
    "queue": "",
    "group_id": None,
    # all that exist at the request
    "cutoff_id": None,
}
# the outcome of the items, behind "that"
_ENDED: dict[str, str] = {
    ItemStatus.DONE: gettext_lazy(stored("went well")),
    ItemStatus.FAILED: gettext_lazy(stored("failed")),
    ItemStatus.SKIPPED: gettext_lazy(stored("it skipped")),
    ItemStatus.REMAINING: gettext_lazy(stored("it did not come to")),
    Fate.SUCCEEDED: gettext_lazy(stored("succeeded")),
    Fate.FAILED_AGAIN: gettext_lazy(stored("failed again")),
    Fate.UNDER_WAY: gettext_lazy(stored("are under way")),
    Fate.PULLED_BACK: gettext_lazy(stored("were pulled back")),
    Fate.GONE: gettext_lazy(stored("are gone")),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """The dead letters of these ids, existing or not: each gets an outcome."""

    ids: tuple[int, ...]

    @classmethod
    def of(cls, ids: Iterable[int]) -> "Rows":
        return cls(tuple(sorted(set(ids))))

    def queryset(self) -> QuerySet[DeadLetter]:
        rows: QuerySet[DeadLetter] = current_access().limit(DeadLetter.objects.filter(pk__in=self.ids))
        return rows

    def number(self, visible: int) -> int:
        """The number of ids in the request: rows that no longer exist are part of it."""
        return max(visible, len(self.ids))

    def words(self) -> list[str]:
        """The scope in words, a sentence for each part."""
        number = len(self.ids)
        if number == 1:
            return [_(stored("dead letter {number}")).format(number=self.ids[0])]
        return [_(stored("{number:,} ticked dead letters")).format(number=number)]

    def columns(self) -> dict[str, object]:
        """The columns of the operation's row. Raises OperationRefused."""
        if not self.ids:
            raise OperationRefused(_("Tick at least one dead letter, or choose all that match."))
        if len(self.ids) > IDS_LIMIT:
            raise OperationRefused(
                _(
                    "At most {ids_limit:,} rows can be ticked; these are {ids:,}. Use a filter instead."
                ).format(ids_limit=IDS_LIMIT, ids=len(self.ids))
            )
        if not 0 < self.ids[0] <= self.ids[-1] < 2**63:
            raise OperationRefused(_("The number of a dead letter lies between 1 and 9223372036854775807."))
        within = (
            Rows.of(self.queryset().values_list("pk", flat=True)) if current_access().is_limited else self
        )
        if not within.ids:
            raise OperationRefused(_("There is no such dead letter, or it lies outside your scope."))
        return _NOTHING | {
            "scope": "rows",
            "ids": json.dumps(within.ids),
            "filter_words": kept_words(within),
        }


@dataclass(frozen=True, slots=True)
class Matching:
    """All that the filter matches at the moment of the request: its ages are moments from then on.

    ``states``: a machine requests it: only those in one of these states that did not fail repeatedly; none: a
    person requests it. ``up_to``: the highest number that is part of it, the newest that a page has counted;
    None: no limit.
    """

    filter: DeadLetterFilter
    states: tuple[str, ...] = ()
    up_to: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "filter", self.filter.fixed())

    def queryset(self) -> QuerySet[DeadLetter]:
        rows = self.filter.queryset()
        if self.states:
            rows = rows.filter(~Q(come_backs.keeps_coming()), status__in=self.states)
        return rows if self.up_to is None else rows.filter(pk__lte=self.up_to)

    def number(self, visible: int) -> int:
        return visible

    def words(self) -> list[str]:
        parts = [f"{label} {value}".strip() for _name, label, value in self.filter.labels()]
        if self.states:
            parts.append(
                _("it is {states}, and did not fail repeatedly after revivals").format(
                    states=_(" or ").join(self.states)
                )
            )
            if self.up_to is not None:
                parts.append(_("its number is at most {number:,}").format(number=self.up_to))
        return parts

    def columns(self) -> dict[str, object]:
        return _NOTHING | {
            "scope": "filter",
            "filter": json.dumps(self.filter.canonical()),
            "filter_words": kept_words(self),
            "states": json.dumps(self.states) if self.states else None,
            "group_id": self.filter.group,
            "cutoff_id": self.up_to,
        }


def newest_number(told: int | None = None) -> int:
    """The number of the newest dead letter, whatever its scope; ``told``: not above this one."""
    newest: int = DeadLetter.objects.aggregate(newest=Max("pk"))["newest"] or 0
    return newest if told is None else min(told, newest)


@dataclass(frozen=True, slots=True)
class ItemsOf:
    """The items of another operation whose fate is ``outcome``; ``done``: all that went well."""

    operation_id: int
    outcome: str

    def items(self) -> QuerySet[OperationItem]:
        if self.outcome in ItemStatus.values:
            return OperationItem.objects.filter(operation_id=self.operation_id, status=self.outcome)
        ids = RawSQL(sql("receipts.ids_of_fate"), (self.operation_id, self.outcome))  # noqa: S611 - values are parameters
        return OperationItem.objects.filter(operation_id=self.operation_id, dead_letter_id__in=ids)

    def queryset(self) -> QuerySet[DeadLetter]:
        letters = DeadLetter.objects.filter(pk__in=self.items().values("dead_letter_id"))
        rows: QuerySet[DeadLetter] = current_access().limit(letters)
        return rows

    def number(self, visible: int) -> int:
        """The number of items in the request: those whose dead letter no longer exists are part of it."""
        return max(visible, self.items().count())

    def words(self) -> list[str]:
        """The scope in words; an invisible operation reads like one that never existed."""
        operations = visibility.operations().filter(pk=self.operation_id)
        return [self._words(operations.values_list("kind", flat=True).first() or "")]

    def _words(self, kind: str) -> str:
        """``the dead letters of operation 12 (retry) that failed``."""
        of = f"{self.operation_id} ({kind})" if kind else f"{self.operation_id}"
        own = (each.outcome_words for each in every_kind() if each.name == kind)
        ended = (_ENDED | next(own, {}))[self.outcome]
        words = _(stored("the dead letters of operation {operation} that {ended_sentence}"))
        return words.format(operation=of, ended_sentence=ended)

    def columns(self) -> dict[str, object]:
        """The columns of the operation's row. Raises OperationRefused."""
        if self.outcome not in Fate.values:
            raise OperationRefused(
                _("An item is one of {names}; not {outcome}.").format(
                    names=", ".join(Fate.values), outcome=quoted(self.outcome)
                )
            )
        origin = visibility.operations().filter(pk=self.operation_id).first()
        if origin is None:
            raise OperationRefused(
                _("There is no operation {operation_id}.").format(operation_id=self.operation_id)
            )
        if origin.has_file:
            raise OperationRefused(
                _("Operation {pk} is an export: what it took is in its file.").format(pk=origin.pk)
            )
        if not origin.has_items:
            raise OperationRefused(
                _("The items of operation {pk} were kept long enough, and are gone.").format(pk=origin.pk)
            )
        if origin.queue:
            raise OperationRefused(
                _(
                    "The items of operation {pk} are messages of the queue {queue}, no dead letters. Ask"
                    " for it anew on the queue's page."
                ).format(pk=origin.pk, queue=quoted(origin.queue))
            )
        return _NOTHING | {
            "scope": "items",
            "source_operation_id": origin.pk,
            "source_outcome": self.outcome,
            "filter_words": kept_words(self),
            "group_id": origin.group_id,
        }


@dataclass(frozen=True, slots=True)
class QueueMessages:
    """The messages that stand on a queue, ours or attached, up to a number: later ones are not part of it.

    Messages in a consumer's hands at the selection are not part of it, either.
    """

    queue: str
    up_to: int

    @classmethod
    def now(cls, queue: str) -> "QueueMessages":
        """Return those that stand on it now. Raises OperationRefused where its system does not answer."""
        try:
            browser, there = browser_of(queue)
            return cls(queue, browser.newest(there))
        except EngineError as problem:
            raise OperationRefused(translated(problem)) from problem

    def number(self, visible: int) -> int:
        return visible

    def words(self) -> list[str]:
        return [_(stored("messages of the queue {queue}")).format(queue=quoted(self.queue, 255))]

    def columns(self) -> dict[str, object]:
        """The columns of the operation's row. Raises OperationRefused."""
        is_there = is_attached(self.queue) or known_queues.is_known(self.queue)
        if not (is_there and current_access().sees_queue(self.queue)):
            raise OperationRefused(_("There is no queue {queue}.").format(queue=quoted(self.queue)))
        if not is_browsed(self.queue):
            raise OperationRefused(
                _("The messages of {queue} cannot be removed one by one here.").format(
                    queue=quoted(self.queue)
                )
            )
        return _NOTHING | {
            "scope": "queue",
            "queue": self.queue,
            "cutoff_id": self.up_to,
            "filter_words": kept_words(self),
        }


def kept_words(scope: "Scope") -> str:
    """The words of a scope for its operation's row: English, whoever asks."""
    with translation.override("en"):
        return " and ".join(scope.words()) or _("all dead letters")


@dataclass(frozen=True, slots=True)
class LogEntries:
    """Entries of the audit log, up to a number; the options of the kind say which of them.

    ``found``: how many there are.
    """

    description: str
    up_to: int
    found: Count

    def words(self) -> list[str]:
        return [self.description]

    def columns(self) -> dict[str, object]:
        """The columns of the operation's row."""
        return _NOTHING | {"scope": "log", "cutoff_id": self.up_to, "filter_words": self.description}


# over dead letters
type LetterScope = Rows | Matching | ItemsOf
type Scope = LetterScope | QueueMessages


def items_of(scope: Scope) -> Items:
    """The sort of items of a scope."""
    return MESSAGES if isinstance(scope, QueueMessages) else DEAD_LETTERS
