"""A person's request: a kind, and ticked rows, all matches, another operation's items, or a queue."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from dlqconsole.console.parts.list_layout import NAMES
from dlqconsole.console.parts.shown_filter import with_group_name
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Fate
from dlqconsole.operations.requests.request import has_typed_count
from dlqconsole.operations.requests.scope import (
    ItemsOf,
    LetterScope,
    Matching,
    QueueMessages,
    Rows,
    Scope,
    newest_number,
)
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable

MOST_IDS = 1000
_LONGEST_QUEUE = 255  # plain SQL may have named it so
_NAMES: dict[type, str] = {Matching: "all", ItemsOf: "items", Rows: "rows", QueueMessages: "queue"}


class NotUnderstood(Exception):
    """A request for an operation that cannot be understood; the sentence says why."""


@dataclass(frozen=True, slots=True)
class OperationIntent:
    """A valid request: the kind of operation, its scope, and the list that it came from.

    ``listed``: that list's query string, as the person wrote it; in the scope's filter its ages are moments.
    None: it came from no list.
    """

    kind: Kind
    scope: Scope
    listed: str | None = None

    @classmethod
    def read(cls, form: QueryDict) -> OperationIntent:
        """Read the form's fields; raises NotUnderstood."""
        over = MESSAGES if form.get("scope") == "queue" else DEAD_LETTERS
        kinds_by_name = {kind.name: kind for kind in kinds.asked_for(over)}
        kind = kinds_by_name.get(form.get("kind", ""))
        if kind is None:
            raise NotUnderstood(_("Choose what to do: {names}.").format(names=", ".join(kinds_by_name)))
        if over == MESSAGES:
            return cls(kind, _messages(form))
        return cls(kind, read_scope(form), listed_as(form))

    @property
    def needs_typed_count(self) -> bool:
        return has_typed_count(self.kind, self.scope)


def listed_as(form: QueryDict) -> str | None:
    """The query string of the list that the form came from, as it stood there; None: it came from no list."""
    text = form.get("listed", form.get("filter"))
    return None if text is None else Shown(text.removeprefix("?"))


def read_scope(form: QueryDict) -> LetterScope:
    """The dead letters that the form is about; raises NotUnderstood."""
    if form.get("scope") in ("all", "filter"):
        # later arrivals are not part of it, neither of its number nor of what is done
        return Matching(_filter(form.get("filter")), up_to=newest_number(as_id(form.get("up_to", ""))))
    return _items(form) if form.get("scope") == "items" else Rows.of(_ids(form.getlist("ids")))


def scope_name(scope: Scope) -> str:
    """The name of the scope in a form."""
    return _NAMES[type(scope)]


def scope_fields(scope: Scope) -> list[tuple[str, object]]:
    """The scope as fields of a form."""
    name = ("scope", scope_name(scope))
    if isinstance(scope, Matching):
        return [name, ("filter", Shown(scope.filter.querystring)), ("up_to", scope.up_to)]
    if isinstance(scope, ItemsOf):
        return [name, ("operation", scope.operation_id), ("outcome", scope.outcome)]
    if isinstance(scope, QueueMessages):
        return [name, ("of_queue", scope.queue), ("up_to", scope.up_to)]
    return [name, *(("ids", letter_id) for letter_id in scope.ids)]


def _messages(form: QueryDict) -> QueueMessages:
    queue, last = form.get("of_queue", ""), as_id(form.get("up_to", ""))
    if not (0 < len(queue) <= _LONGEST_QUEUE and is_storable(queue)) or last is None:
        raise NotUnderstood(_("The form lost its queue; go back and open it again."))
    return QueueMessages(queue, last)


def _filter(querystring: str | None) -> DeadLetterFilter:
    # an empty filter means everything; a form without a filter has lost it
    if querystring is None:
        raise NotUnderstood(_("The form lost its filter; go back and open it again."))
    try:
        return DeadLetterFilter.parse(_query(querystring), beside=NAMES)
    except InvalidFilter as error:
        raise NotUnderstood(" ".join(error.problems)) from error


def _query(querystring: str) -> QueryDict:
    return QueryDict(querystring.removeprefix("?"))


def _items(form: QueryDict) -> ItemsOf:
    number, outcome = as_id(form.get("operation", "")), form.get("outcome", "")
    if number is None or outcome not in Fate.values:
        raise NotUnderstood(_("Say whose items are meant, and how they ended. Open the receipt again."))
    return ItemsOf(number, outcome)


def _ids(texts: list[str]) -> set[int]:
    if not texts:
        raise NotUnderstood(_("Tick at least one dead letter, or choose all that match."))
    if len(texts) > MOST_IDS:
        raise NotUnderstood(
            _("At most {most_ids:,} rows can be ticked at once; choose all that match instead.").format(
                most_ids=MOST_IDS
            )
        )
    ids = [as_id(text) for text in texts]
    if None in ids:
        raise NotUnderstood(_("A ticked row has no valid number. Reload the list and tick again."))
    return {letter_id for letter_id in ids if letter_id is not None}


def scope_words(scope: Scope) -> list[str]:
    """A sentence a part; a failure group is named by its title."""
    group = scope.filter.group if isinstance(scope, Matching) else None
    return [with_group_name(sentence, group) for sentence in scope.words()]
