"""The one filter of dead letters: list, counts, charts, export, command line and bulk action share it.

A filter is parsed once, kept as its canonical text, and re-run on the server: what a person saw is what an
operation acts on. Its keys are rows of ``filter_parts``; paths into the payload come beside them. One whole
value of a key is a facet: ``filter.type``. All else is in ``rest``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import EmptyResultSet
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import AccessScope, current_access
from dlqconsole.engine.dead_letters import all_parts, parsing, payload_indexes, search_rights, searching
from dlqconsole.engine.dead_letters.checking import fixed
from dlqconsole.engine.dead_letters.conditions import condition_of, paths
from dlqconsole.engine.dead_letters.filter_parts import FilterPart, as_text
from dlqconsole.engine.dead_letters.language.reading import HAS, PAYLOAD_PREFIX, TEXT
from dlqconsole.engine.dead_letters.language.tree import All, Term, Tree, Value, literal, terms
from dlqconsole.engine.dead_letters.language.writing import write
from dlqconsole.engine.dead_letters.part_rules import check_parts
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.engine.models import DeadLetter

# It matches nothing: no number is below zero. What Django knows to be empty has no SQL to put into ours.
_NEVER = Q(pk__lt=0)


class DeadLetterFilter:
    """A filter of dead letters. With every part empty it matches all of them.

    ``type``, ``category``, ``status``, ``queue``, ``group``, ``source`` match exactly; ``reason`` and ``q``
    match any part, without regard to case, of what somebody may search (see ``searching``);
    ``since`` ≤ created_at < ``until`` (UTC);
    ``payload`` maps a dotted path (``data.tailnum``) to the text that must stand there.
    ``rest`` is what must match beside them: negations, alternatives, patterns, comparisons.
    """

    def __init__(
        self, *, payload: tuple[tuple[str, str], ...] = (), rest: tuple[Tree, ...] = (), **values: Any
    ) -> None:
        if unknown := sorted(values.keys() - set(all_parts.parameters())):
            raise TypeError(f"a filter has no part {unknown[0]!r}")
        self.payload, self.rest = payload, rest
        self._values = {part.name: values.get(part.name, part.nothing) for part in all_parts.PARTS}
        self._meanings: dict[tuple[str, AccessScope], Meaning] = {}

    def __getattr__(self, name: str) -> Any:
        """Return the value of a part, or its empty value: ``matching.type``."""
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"a filter has no part {name!r}")
        return values[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeadLetterFilter):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self.facets().items()), self.rest

    def __repr__(self) -> str:
        return f"<filter: {self.words()}>"

    @classmethod
    def parse(cls, texts: Mapping[str, Any], *, beside: Collection[str] | None = None) -> DeadLetterFilter:
        """Read a query string's parameters: ``q`` in the filter language, others as facets; all must match.

        ``beside``: what else may stand there; None: anything. Raises InvalidFilter with one sentence for each
        parameter that cannot be understood.
        """
        return cls._of(parsing.parse(texts, beside))

    @classmethod
    def _of(cls, tree: Tree) -> DeadLetterFilter:
        """Return the filter of a checked tree in its normal form."""
        values, payload, rest = parsing.facets(tree)
        return cls(payload=tuple(payload.items()), rest=rest, **values)

    @classmethod
    def from_canonical(cls, texts: Mapping[str, Any]) -> DeadLetterFilter:
        """Return the filter that ``canonical()`` gave, as an operation keeps it."""
        return cls.parse(texts)

    @property
    def tree(self) -> Tree:
        """The filter as a tree."""
        return All(self._conjuncts())

    @property
    def text(self) -> str:
        """The filter in its language, the same for the same meaning; empty where it matches everything."""
        return parsing.canonical(self._conjuncts())

    def canonical(self) -> dict[str, str]:
        """Return the parameters that an address, an operation and a rule keep: the text as ``q``."""
        return {TEXT: self.text} if self.text else {}

    def fixed(self) -> DeadLetterFilter:
        """Return the filter that means later what this one means now: with moments instead of ages."""
        tree = fixed(self.tree, all_parts.by_name())
        return self if tree == self.tree else self._of(parsing.in_order(tree))

    def facets(self) -> dict[str, str]:
        """Return the text of each facet, and of each path into the payload."""
        values = {part.name: as_text(value) for part, value in self._parts()}
        return values | {PAYLOAD_PREFIX + path: text for path, text in self.payload}

    def audit_parameters(self) -> dict[str, str]:
        """Return the parameters as the audit log keeps them."""
        return {name: value for name, _label, value in self.labels()}

    def searched_parameters(self) -> dict[str, str]:
        """Return the texts of ``canonical`` that search texts and payloads, by their keys."""
        texts: dict[str, list[str]] = {}
        for term in self._searching():
            texts.setdefault(term.key, []).extend(value.text for value in term.values)
        return {key: "\n".join(values) for key, values in texts.items()}

    def _searching(self) -> list[Term]:
        """Return the terms that search texts or payloads."""
        named = {part.name for part in all_parts.PARTS if part.means}
        return [each for each in terms(self.tree) if each.key in named or paths(each)]

    @property
    def is_search(self) -> bool:
        """Tell whether it searches texts or payloads."""
        return bool(self._searching())

    def one_text(self) -> Meaning | None:
        """Return the meaning of its one text; None where it has more or fewer, or a payload path."""
        texts = self._texts()
        return None if self.payload or self.rest or len(texts) != 1 else self._meaning(*texts[0])

    @property
    def other_parts(self) -> set[str]:
        """The names of the parts that are not searched texts."""
        return {part.name for part, _value in self._parts() if not part.means}

    def beyond(self, meaning: Meaning) -> QuerySet[DeadLetter]:
        """Return matches of ``one_text`` that no group and no event type names."""
        others = Q(pk__in=()) if meaning.others is None else meaning.others & ~meaning.named
        return self._rows(others)

    def is_named(self) -> bool:
        """Tell whether groups or event types match its texts: then it has many matches, as a rule."""
        meanings = [self._meaning(*part_text) for part_text in self._texts()]
        return any(meaning.groups or meaning.types for meaning in meanings)

    def by_id(self) -> QuerySet[DeadLetter]:
        """Return only dead letters with the search box's text as their number, id or key."""
        return self._rows(searching.by_id(self.q) if self.q else Q(pk__in=()))

    @property
    def is_indexed(self) -> bool:
        """Tell whether an index knows its paths into the payload; also True where it has none."""
        return not self.payload or payload_indexes.knows([path for path, _text in self.payload])

    def naming_what_is_there(self) -> DeadLetterFilter:
        """Return itself. Raises InvalidFilter for values that are gone or may not be searched.

        For filters that a person types. A stored filter may name values that are gone since: it matches none.
        """
        if problem := search_rights.refusal(self.tree):
            raise InvalidFilter([problem])
        problems = [
            _("{name} {problem}.").format(name=part.name, problem=problem)
            for part, value in self._parts()
            for narrower, problem in part.found_by(value)
            if not DeadLetterFilter(**{part.name: narrower}).queryset().exists()
        ]
        if problems:
            raise InvalidFilter(problems[:1])
        return self

    @property
    def querystring(self) -> str:
        """The filter as it stands in an address, without a question mark."""
        return urlencode(self.canonical(), safe=":*,/@")

    def words(self) -> str:
        """Return the filter as a sentence: ``type is flight.departed and status is PENDING``."""
        return _(" and ").join(f"{label} {value}".strip() for _name, label, value in self.labels()) or _(
            "all dead letters"
        )

    def labels(self) -> list[tuple[str, str, str]]:
        """Return (name, label, value) of each part, for the chips above a list; of the rest its text."""
        parts = all_parts.by_name()
        facets = [
            (
                name,
                parts[name].label if name in parts else _("{name} is").format(name=name),
                _spell(name, parts.get(name), value),
            )
            for name, value in self.facets().items()
        ]
        return [*facets, *((write(tree, _hidden), "", write(tree, _hidden)) for tree in self.rest)]

    def without(self, name: str) -> DeadLetterFilter:
        """Return this filter less the part of this name, as ``labels`` has it."""
        values = {key: value for key, value in self._values.items() if key != name}
        payload = tuple(pair for pair in self.payload if PAYLOAD_PREFIX + pair[0] != name)
        rest = tuple(tree for tree in self.rest if write(tree, _hidden) != name)
        return DeadLetterFilter(payload=payload, rest=rest, **values)

    def also(self, other: DeadLetterFilter) -> DeadLetterFilter:
        """Return the filter of what both match."""
        return self._of(parsing.in_order(All((self.tree, other.tree))))

    def with_status(self, status: str) -> DeadLetterFilter:
        """Return the filter for this status, whatever it was; empty: for any."""
        return DeadLetterFilter(payload=self.payload, rest=self.rest, **self._values | {"status": status})

    def queryset(self) -> QuerySet[DeadLetter]:
        """Return the matching dead letters within the scope, in no order."""
        condition = Q()
        for part, text in self._texts():
            condition &= self._meaning(part, text).condition
        return self._rows(condition)

    def _rows(self, condition: Q) -> QuerySet[DeadLetter]:
        """Return the rows that match the other parts and this condition."""
        access = current_access()
        rows: QuerySet[DeadLetter] = access.limit(DeadLetter.objects.all())
        if search_rights.refusal(self.tree):
            return rows.filter(_NEVER)
        for path, text in self.payload:
            condition &= searching.at_path(path, text)
        for part, value in self._parts():
            rows = rows.alias(**part.alias)
            if part.condition:
                condition &= part.condition(value)
        parts = all_parts.by_name()
        for tree in self.rest:
            rows = rows.alias(**{name: of for part in _named(tree, parts) for name, of in part.alias.items()})
            condition &= condition_of(tree, parts)
        return rows.filter(condition if _may_match(rows.filter(condition)) else _NEVER)

    def _meaning(self, part: FilterPart, text: str) -> Meaning:
        """Look up a text's meaning once: a page asks for rows, tabs and counts."""
        access = current_access()
        meaning = self._meanings.get((part.name, access))
        if meaning is None:
            assert part.means  # noqa: S101 - of texts
            meaning = self._meanings[part.name, access] = part.means(text)
        return meaning

    def _conjuncts(self) -> tuple[Tree, ...]:
        """Return all that must match, in order."""
        return tuple(literal(key, text) for key, text in self.facets().items()) + self.rest

    def _texts(self) -> list[tuple[FilterPart, Any]]:
        """Return the searched texts."""
        return [(part, value) for part, value in self._parts() if part.means]

    def _parts(self) -> list[tuple[FilterPart, Any]]:
        """Return the parts that are not empty, with their values."""
        return [
            (part, self._values[part.name])
            for part in all_parts.PARTS
            if self._values[part.name] != part.nothing
        ]


def _may_match(rows: QuerySet[DeadLetter]) -> bool:
    try:
        rows.query.sql_with_params()
    except EmptyResultSet:
        return False
    return True


def _spell(name: str, part: FilterPart | None, value: str) -> str:
    """Return a value for receipts and the audit log; for a masked payload key only its kind."""
    if part is None and (kind := searching.hides(name.removeprefix(PAYLOAD_PREFIX))):
        return f"‹{kind}›"
    return part.says(value) if part and part.says else value


def _hidden(term: Term, value: Value) -> str | None:
    """Return the kind of a masked value instead of it; None: it may be shown."""
    kind = "" if term.key == HAS else searching.hides(term.key.removeprefix(PAYLOAD_PREFIX))
    return f"‹{kind}›" if kind and term.key.startswith(PAYLOAD_PREFIX) else None


def _named(tree: Tree, parts: Mapping[str, FilterPart]) -> list[FilterPart]:
    return [parts[term.key] for term in terms(tree) if term.key in parts]


check_parts(
    all_parts.PARTS, [*dir(DeadLetterFilter), HAS], [column.name for column in DeadLetter._meta.fields]
)
