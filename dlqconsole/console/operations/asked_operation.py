"""What a person asks for with a bulk button: a kind, and ticked rows, all that match, or another's items."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.http import QueryDict

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter, is_parameter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import ItemStatus
from dlqconsole.operations.request import has_typed_count
from dlqconsole.operations.scope import ItemsOf, Matching, Rows, Scope
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

MOST_IDS = 1000


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
        known = {kind.name: kind for kind in kinds.asked_for()}
        kind = known.get(posted.get("kind", ""))
        if kind is None:
            raise NotUnderstood(f"Choose what to do: {', '.join(known)}.")
        return cls(kind, read_scope(posted))

    @property
    def needs_typed_count(self) -> bool:
        return has_typed_count(self.kind, self.scope)


def read_scope(posted: QueryDict) -> Scope:
    """What the form is over; raises NotUnderstood."""
    if posted.get("scope") in ("all", "filter"):
        return Matching(_filter(posted.get("filter")))
    return _items(posted) if posted.get("scope") == "items" else Rows.of(_ids(posted.getlist("ids")))


def scope_name(scope: Scope) -> str:
    """What a form calls it."""
    return "all" if isinstance(scope, Matching) else "items" if isinstance(scope, ItemsOf) else "rows"


def scope_fields(scope: Scope) -> list[tuple[str, object]]:
    """The scope as fields of a form."""
    name = ("scope", scope_name(scope))
    if isinstance(scope, Matching):
        return [name, ("filter", scope.filter.querystring)]
    if isinstance(scope, ItemsOf):
        return [name, ("operation", scope.operation_id), ("outcome", scope.outcome)]
    return [name, *(("ids", letter_id) for letter_id in scope.ids)]


def _filter(querystring: str | None) -> DeadLetterFilter:
    # an empty one means everything; a form without one has lost it
    if querystring is None:
        raise NotUnderstood("The form lost its filter; go back and open it again.")
    given = QueryDict(querystring.removeprefix("?"))
    # a list may pass over what it does not know; here that would mean more dead letters than were asked for
    if unknown := [name for name in given if not is_parameter(name)]:
        raise NotUnderstood(f"The filter has a part that nobody knows: {quoted(unknown[0])}.")
    try:
        return DeadLetterFilter.parse(given)
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
