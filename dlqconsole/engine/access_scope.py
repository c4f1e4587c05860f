"""The view of the person who asks: a context of each request, command and task. Queries for people read it.

A scope is a pattern of queues and one of event types; an access scope is the union of a person's scopes. What
lists, counts or changes dead letters reads it with ``current_access``. Where nobody said who asks, that is
refused. A query keeps the scope under which it was made, also if it runs later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

ALL = "*"

# a queue pattern and an event type pattern
type Scope = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AccessScope:
    """``scopes``: pairs of a queue pattern and an event type pattern; None: everything is seen.

    A pattern is a name, the beginning of one with ``*`` behind it (``orders.*``), or ``*`` for all, also for
    what has no queue or event type of its own. A dead letter without a queue is on the one that is named
    after its event type, as everywhere.
    """

    scopes: tuple[Scope, ...] | None = None
    # reasons and payloads may be searched: by operators, and by machines
    searches_values: bool = True

    @classmethod
    def of(cls, scopes: Iterable[Scope]) -> AccessScope:
        """Return the union of some scopes. Without scopes it sees nothing; with one for all, everything."""
        pairs = tuple(sorted(set(scopes)))
        return EVERYTHING if (ALL, ALL) in pairs else cls(pairs)

    @property
    def is_limited(self) -> bool:
        return self.scopes is not None

    def sees(self, queue: str, event_type: str) -> bool:
        """Tell whether it sees all of a queue and an event type, or of the patterns of another scope."""
        return self.scopes is None or any(
            _matches(queues, queue) and _matches(types, event_type) for queues, types in self.scopes
        )

    def sees_queue(self, name: str) -> bool:
        """Tell whether it sees all of a queue: a message has no event type until it fails."""
        return self.sees(name, ALL)

    def names_queue(self, name: str) -> bool:
        """Tell whether dead letters within it may go to a queue: it is seen, or each scope names it."""
        return self.sees_queue(name) or all(_matches(queues, name) for queues, _types in self.scopes or ())

    def covers(self, other: AccessScope) -> bool:
        """Tell whether all that the other sees is seen here, too."""
        if self.scopes is None or other.scopes is None:
            return self.scopes is None
        return all(self.sees(*scope) for scope in other.scopes)

    def intersection(self, other: AccessScope) -> AccessScope:
        """Return the intersection of both."""
        values = self.searches_values and other.searches_values
        if self.scopes is None or other.scopes is None:
            return replace(other if self.scopes is None else self, searches_values=values)
        overlaps = (
            (_both(ours[0], theirs[0]), _both(ours[1], theirs[1]))
            for ours in self.scopes
            for theirs in other.scopes
        )
        both = AccessScope.of((queues, types) for queues, types in overlaps if queues and types)
        return replace(both, searches_values=values)

    def words(self) -> str:
        """Return the words for the head of a page: ``orders.*, queue billing``."""
        if self.scopes is None:
            return "everything"
        return ", ".join(map(_words, self.scopes)) or "nothing"

    def limit(self, letters: QuerySet[Any]) -> QuerySet[Any]:
        """Return the dead letters within it. Without limits the query stays as it was."""
        if self.scopes is None:
            return letters
        condition = Q(pk__in=())
        for queues, types in self.scopes:
            condition |= _pattern_condition("scope_queue", queues) & _pattern_condition("event_type", types)
        rows: QuerySet[Any] = letters.alias(scope_queue=Coalesce("queue", "event_type")).filter(condition)
        return rows

    def condition(self, text: str, others: Mapping[str, Any] = MappingProxyType({})) -> RawSQL:
        """Return a text with conditions of this scope in it, for the ORM. ``others``: more parameters."""
        parameters, values = {**self.values(), **others}, list[Any]()

        def place(name: re.Match[str]) -> str:
            values.append(parameters[name[1]])
            return "%s"

        return RawSQL(_PARAMETER.sub(place, text), tuple(values), output_field=BooleanField())  # noqa: S611

    def letters(self, table: str) -> str:
        """Return the condition on rows of ``dlq_events`` in a named query; ``values`` has its parameters."""
        return self._text(f"coalesce({table}.queue, {table}.event_type)", f"{table}.event_type")

    def columns(self, queue: str, event_type: str) -> str:
        """Return the condition on any two columns. Only ``*`` sees a NULL."""
        return self._text(queue, event_type)

    def values(self) -> dict[str, Any]:
        """Return the parameters of a named query's conditions."""
        return {
            f"scope_{place}_{part}": _comparison(pattern)[1]
            for place, scope in enumerate(self.scopes or ())
            for part, pattern in enumerate(scope)
            if pattern != ALL
        }

    def _text(self, *columns: str) -> str:
        """Join the scopes with OR: each is a term of its own, which an index may answer."""
        if self.scopes is None:
            return "true"
        terms = [
            " AND ".join(
                f"{columns[part]} {_comparison(pattern)[0]} %(scope_{place}_{part})s::text"
                for part, pattern in enumerate(scope)
                if pattern != ALL
            )
            for place, scope in enumerate(self.scopes)
        ]
        return f"({' OR '.join(terms)})" if terms else "false"


EVERYTHING = AccessScope()
_current: ContextVar[Callable[[], AccessScope] | None] = ContextVar("access", default=None)


class NobodyAsks(PermissionDenied):
    """Dead letters were to be read, and nobody said for whom: a page answers 403, a command ends."""

    def __init__(self) -> None:
        super().__init__("Nobody said who asks for this, so nothing of it is shown.")


def current_access() -> AccessScope:
    """Return the scope of who asks. Raises NobodyAsks: there is no scope to fall back to."""
    read = _current.get()
    if read is None:
        raise NobodyAsks
    return read()


@contextmanager
def asking_as(scope: AccessScope) -> Iterator[None]:
    """Read and change dead letters within a scope. It begins and ends in one thread, and in no generator."""
    with asking_lazily(lambda: scope):
        yield


def ask_as(scope: AccessScope) -> None:
    """Read and change them within a scope from now on, in a command: ``GatedCommand`` ends it."""
    _current.set(lambda: scope)


@contextmanager
def asking_lazily(read: Callable[[], AccessScope] | None) -> Iterator[None]:
    """Do the same with a scope that is looked up once something asks for it; None: nobody asks."""
    before = _current.set(read)
    try:
        yield
    finally:
        _current.reset(before)


_PARAMETER = re.compile(r"%\((\w+)\)s")


def _comparison(pattern: str) -> tuple[str, str]:
    """Return the operator and its operand."""
    return ("^@", pattern[:-1]) if pattern.endswith(ALL) else ("=", pattern)


def _pattern_condition(column: str, pattern: str) -> Q:
    if pattern == ALL:
        return Q()
    return Q(**({f"{column}__startswith": pattern[:-1]} if pattern.endswith(ALL) else {column: pattern}))


def _matches(pattern: str, name: str) -> bool:
    """Tell whether a pattern matches a name, or all that matches ``name`` if that is a pattern."""
    return name.startswith(pattern[:-1]) if pattern.endswith(ALL) else name == pattern


def _both(one: str, other: str) -> str:
    """Return the pattern of names that match both; empty where none does."""
    if _matches(one, other):
        return other
    return one if _matches(other, one) else ""


def _words(scope: Scope) -> str:
    queues, types = scope
    if queues == ALL:
        return types
    return f"queue {queues}" if types == ALL else f"{types} on queue {queues}"
