"""What somebody may see: made once a request of their scopes, and asked by everything that reads for people.

A scope is a pattern of queues and one of event types; a reach is the union of a person's scopes. Whatever
lists, counts or changes dead letters is told a reach and has no other without it: to forget one is a mistake
that the type checker finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

ALL = "*"

# a queue pattern and an event type pattern
type Scope = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reach:
    """``scopes``: pairs of a queue pattern and an event type pattern; None: everything is seen.

    A pattern is a name, the beginning of one with ``*`` behind it (``orders.*``), or ``*`` for all, also for
    what has no queue or event type of its own. A dead letter without a queue is on the one that is named
    after its event type, as everywhere.
    """

    scopes: tuple[Scope, ...] | None = None
    # whether what stands in reasons and payloads may be searched: by who operates, and by machines
    searches_values: bool = True

    @classmethod
    def of(cls, scopes: Iterable[Scope]) -> Reach:
        """The union of some scopes. None at all see nothing; one that is all of both sees everything."""
        found = tuple(sorted(set(scopes)))
        return EVERYTHING if (ALL, ALL) in found else cls(found)

    @property
    def is_limited(self) -> bool:
        return self.scopes is not None

    def sees(self, queue: str, event_type: str) -> bool:
        """Whether all of a queue and an event type is seen, or of the patterns of another scope."""
        return self.scopes is None or any(
            _matches(queues, queue) and _matches(types, event_type) for queues, types in self.scopes
        )

    def sees_queue(self, name: str) -> bool:
        """Whether all of a queue is seen: a message has no event type until it fails."""
        return self.sees(name, ALL)

    def names_queue(self, name: str) -> bool:
        """Whether what is seen may be put on a queue: all of it is seen, or each scope names it."""
        return self.sees_queue(name) or all(_matches(queues, name) for queues, _types in self.scopes or ())

    def covers(self, other: Reach) -> bool:
        """Whether all that the other sees is seen here, too."""
        if self.scopes is None or other.scopes is None:
            return self.scopes is None
        return all(self.sees(*scope) for scope in other.scopes)

    def narrowed(self, other: Reach) -> Reach:
        """What both see."""
        values = self.searches_values and other.searches_values
        if self.scopes is None or other.scopes is None:
            return replace(other if self.scopes is None else self, searches_values=values)
        met = (
            (_both(ours[0], theirs[0]), _both(ours[1], theirs[1]))
            for ours in self.scopes
            for theirs in other.scopes
        )
        found = Reach.of((queues, types) for queues, types in met if queues and types)
        return replace(found, searches_values=values)

    def words(self) -> str:
        """As the head of a page says it: ``orders.*, queue billing``."""
        if self.scopes is None:
            return "everything"
        return ", ".join(map(_words, self.scopes)) or "nothing"

    def limit(self, letters: QuerySet[Any]) -> QuerySet[Any]:
        """Those of the dead letters that are seen. Who sees everything has the query as it was."""
        if self.scopes is None:
            return letters
        seen = Q(pk__in=())
        for queues, types in self.scopes:
            seen |= _named("reach_queue", queues) & _named("event_type", types)
        rows: QuerySet[Any] = letters.alias(reach_queue=Coalesce("queue", "event_type")).filter(seen)
        return rows

    def condition(self, text: str) -> RawSQL:
        """A text with conditions of this reach in it, for the ORM."""
        given, values = self.values(), list[Any]()

        def placed(name: re.Match[str]) -> str:
            values.append(given[name[1]])
            return "%s"

        return RawSQL(_NAMED.sub(placed, text), tuple(values), output_field=BooleanField())  # noqa: S611

    def letters(self, table: str) -> str:
        """The condition on rows of ``dlq_events`` in a named query; ``values`` has what it compares with."""
        return self._text(f"coalesce({table}.queue, {table}.event_type)", f"{table}.event_type")

    def columns(self, queue: str, event_type: str) -> str:
        """The same on any two columns. What is NULL is seen by ``*`` alone."""
        return self._text(queue, event_type)

    def values(self) -> dict[str, Any]:
        """What the conditions of a named query compare with."""
        return {
            f"reach_{place}_{part}": _comparison(pattern)[1]
            for place, scope in enumerate(self.scopes or ())
            for part, pattern in enumerate(scope)
            if pattern != ALL
        }

    def _text(self, *columns: str) -> str:
        """Each scope is a term of its own, which an index may answer."""
        if self.scopes is None:
            return "true"
        terms = [
            " AND ".join(
                f"{columns[part]} {_comparison(pattern)[0]} %(reach_{place}_{part})s::text"
                for part, pattern in enumerate(scope)
                if pattern != ALL
            )
            for place, scope in enumerate(self.scopes)
        ]
        return f"({' OR '.join(terms)})" if terms else "false"


EVERYTHING = Reach()
_NAMED = re.compile(r"%\((reach_\w+)\)s")


def _comparison(pattern: str) -> tuple[str, str]:
    """The operator, and what is compared with it."""
    return ("^@", pattern[:-1]) if pattern.endswith(ALL) else ("=", pattern)


def _named(column: str, pattern: str) -> Q:
    if pattern == ALL:
        return Q()
    return Q(**({f"{column}__startswith": pattern[:-1]} if pattern.endswith(ALL) else {column: pattern}))


def _matches(pattern: str, name: str) -> bool:
    """``name`` may be a pattern itself: then all that it matches must match."""
    return name.startswith(pattern[:-1]) if pattern.endswith(ALL) else name == pattern


def _both(one: str, other: str) -> str:
    """The pattern of what matches both; empty where nothing does."""
    if _matches(one, other):
        return other
    return one if _matches(other, one) else ""


def _words(scope: Scope) -> str:
    queues, types = scope
    if queues == ALL:
        return types
    return f"queue {queues}" if types == ALL else f"{types} on queue {queues}"
