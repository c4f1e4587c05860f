"""What a person asks for with a button: a kind, and ticked rows, all that match, another's items, a queue."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.http import QueryDict

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import ItemStatus
from dlqconsole.operations.request import has_typed_count
from dlqconsole.operations.scope import ItemsOf, LetterScope, Matching, QueueMessages, Rows, Scope
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable

MOST_IDS = 1000
_LONGEST_QUEUE = 255  # plain SQL may have named it so
_NAMES: dict[type, str] = {Matching: "all", ItemsOf: "items", Rows: "rows", QueueMessages: "queue"}


class NotUnderstood(Exception):
    """A request for an operation that cannot be understood; the sentence says why."""


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """A request that was understood: what to do, and over what."""

    kind: Kind
    scope: Scope

    @classmethod
    def read(cls, posted: QueryDict) -> AskedOperation:
        """Read the form's fields; raises NotUnderstood."""
        over = MESSAGES if posted.get("scope") == "queue" else DEAD_LETTERS
        known = {kind.name: kind for kind in kinds.asked_for(over)}
        kind = known.get(posted.get("kind", ""))
        if kind is None:
            raise NotUnderstood(f"Choose what to do: {', '.join(known)}.")
        return cls(kind, _messages(posted) if over == MESSAGES else read_scope(posted))

    @property
    def needs_typed_count(self) -> bool:
        return has_typed_count(self.kind, self.scope)


def read_scope(posted: QueryDict) -> LetterScope:
    """Which dead letters the form is over; raises NotUnderstood."""
    if posted.get("scope") in ("all", "filter"):
        return Matching(_filter(posted.get("filter")))
    return _items(posted) if posted.get("scope") == "items" else Rows.of(_ids(posted.getlist("ids")))


def scope_name(scope: Scope) -> str:
    """What a form calls it."""
    return _NAMES[type(scope)]


def scope_fields(scope: Scope) -> list[tuple[str, object]]:
    """The scope as fields of a form."""
    name = ("scope", scope_name(scope))
    if isinstance(scope, Matching):
        return [name, ("filter", Shown(scope.filter.querystring))]
    if isinstance(scope, ItemsOf):
        return [name, ("operation", scope.operation_id), ("outcome", scope.outcome)]
    if isinstance(scope, QueueMessages):
        return [name, ("of_queue", scope.queue), ("up_to", scope.up_to)]
    return [name, *(("ids", letter_id) for letter_id in scope.ids)]


def _messages(posted: QueryDict) -> QueueMessages:
    queue, last = posted.get("of_queue", ""), as_id(posted.get("up_to", ""))
    if not (0 < len(queue) <= _LONGEST_QUEUE and is_storable(queue)) or last is None:
        raise NotUnderstood("The form lost its queue; go back and open it again.")
    return QueueMessages(queue, last)


def _filter(querystring: str | None) -> DeadLetterFilter:
    # an empty one means everything; a form without one has lost it
    if querystring is None:
        raise NotUnderstood("The form lost its filter; go back and open it again.")
    try:
        return DeadLetterFilter.parse(QueryDict(querystring.removeprefix("?")), beside=())
    except InvalidFilter as error:
        raise NotUnderstood(" ".join(error.problems)) from error


def _items(posted: QueryDict) -> ItemsOf:
    # called "source" before
    number, outcome = as_id(posted.get("operation", posted.get("source", ""))), posted.get("outcome", "")
    if number is None or outcome not in ItemStatus.values:
        raise NotUnderstood("Say whose items are meant, and how they ended. Open the receipt again.")
    return ItemsOf(number, outcome)


def _ids(texts: list[str]) -> set[int]:
    if not texts:
        raise NotUnderstood("Tick at least one dead letter, or choose all that match.")
    if len(texts) > MOST_IDS:
        raise NotUnderstood(
            f"At most {MOST_IDS:,} rows can be ticked at once; choose all that match instead."
        )
    ids = [as_id(text) for text in texts]
    if None in ids:
        raise NotUnderstood("A ticked row has no valid number. Reload the list and tick again.")
    return {letter_id for letter_id in ids if letter_id is not None}


def new_request_key() -> UUID:
    return uuid4()
