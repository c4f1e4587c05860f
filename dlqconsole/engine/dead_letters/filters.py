"""The one filter of dead letters: list, counts, charts, export, command line and bulk action share it.

A filter is parsed once, kept as its canonical text, and re-run on the server: what a person saw is what an
operation acts on. Its keys are rows of ``filter_parts``; paths into the payload come beside them. One whole
value of a key is a facet: ``filter.type``. All else is in ``rest``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import EmptyResultSet
from django.db.models import Q, QuerySet
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import AccessScope, current_access
from dlqconsole.engine.dead_letters import filter_parts, payload_indexes, searching
from dlqconsole.engine.dead_letters.checking import MAX_LENGTH, checked, fixed
from dlqconsole.engine.dead_letters.conditions import condition_of, guessable, paths
from dlqconsole.engine.dead_letters.filter_parts import Ago, FilterPart, as_text
from dlqconsole.engine.dead_letters.language.reading import (
    HAS,
    PAYLOAD_PREFIX,
    TEXT,
    Keys,
    Mistake,
    is_language,
    read,
)
from dlqconsole.engine.dead_letters.language.tree import (
    EVERYTHING,
    All,
    Term,
    Tree,
    Value,
    conjuncts,
    literal,
    normal,
    terms,
)
from dlqconsole.engine.dead_letters.language.writing import write
from dlqconsole.engine.dead_letters.owner_part import OWNER
from dlqconsole.engine.dead_letters.part_rules import check_parts
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.plain_text import quoted

MAX_PATH_FILTERS = 5
VALUES_REFUSED = gettext_lazy(
    "only operators may search values. Search by event type, key, id, or what a failure group says."
)
WHOLE_ONLY = gettext_lazy(
    "its values are masked, so that only a whole one can be searched: no *, no < and no >."
)

__all__ = ["MAX_LENGTH", "PARTS", "PAYLOAD_PREFIX", "DeadLetterFilter", "is_parameter", "parameters"]

# the search box is the last
*_FIRST, _SEARCH = filter_parts.PARTS
PARTS: list[FilterPart] = [
    *_FIRST,
    OWNER,
    *(import_string(path) for feature in features() for path in feature.filter_parts),
    _SEARCH,
]


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
        if unknown := sorted(values.keys() - set(parameters())):
            raise TypeError(f"a filter has no part {unknown[0]!r}")
        self.payload, self.rest = payload, rest
        self._values = {part.name: values.get(part.name, part.nothing) for part in PARTS}
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
        return _Parser(texts, beside).result()

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
        return _canonical(self._conjuncts())

    def canonical(self) -> dict[str, str]:
        """Return the parameters that an address, an operation and a rule keep: the text as ``q``."""
        return {TEXT: self.text} if self.text else {}

    def fixed(self) -> DeadLetterFilter:
        """Return the filter that means later what this one means now: with moments instead of ages."""
        parts = {part.name: part for part in PARTS}
        tree = fixed(self.tree, parts)
        return self if tree == self.tree else _of_tree(normal(tree, _order), parts)

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
        named = {part.name for part in PARTS if part.means}
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
        if problem := self._forbidden():
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

    def _forbidden(self) -> str:
        """Return the sentence for a search that would tell what this person may not see; else empty."""
        asked = paths(self.tree)
        if asked and not current_access().searches_values:
            return _("{key} is not searched: {why}").format(
                key=PAYLOAD_PREFIX + asked[0][0], why=VALUES_REFUSED
            )
        parts = {part.name: part for part in PARTS}
        patterns = [each.key for each in terms(self.tree) if each.has_pattern]
        of_values = [key for key in patterns if key in parts and parts[key].like_reads_values]
        if of_values and not current_access().searches_values:
            return _("A * in {key} is not searched: {why}").format(key=of_values[0], why=VALUES_REFUSED)
        masked = guessable(self.tree)
        return (
            _("{key} is not searched so: {why}").format(key=f"{PAYLOAD_PREFIX}{masked}", why=WHOLE_ONLY)
            if masked
            else ""
        )

    def words(self) -> str:
        """Return the filter as a sentence: ``type is flight.departed and status is PENDING``."""
        return _(" and ").join(f"{label} {value}".strip() for _name, label, value in self.labels()) or _(
            "all dead letters"
        )

    def labels(self) -> list[tuple[str, str, str]]:
        """Return (name, label, value) of each part, for the chips above a list; of the rest its text."""
        parts = {part.name: part for part in PARTS}
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
        both = normal(All((self.tree, other.tree)), _order)
        return _of_tree(both, {part.name: part for part in PARTS})

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
        if self._forbidden():
            return rows.filter(_NEVER)
        for path, text in self.payload:
            condition &= searching.at_path(path, text)
        for part, value in self._parts():
            rows = rows.alias(**part.alias)
            if part.condition:
                condition &= part.condition(value)
        parts = {part.name: part for part in PARTS}
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
        return [(part, self._values[part.name]) for part in PARTS if self._values[part.name] != part.nothing]


def _may_match(rows: QuerySet[DeadLetter]) -> bool:
    try:
        rows.query.sql_with_params()
    except EmptyResultSet:
        return False
    return True


def parameters() -> list[str]:
    """Return the names of the parts, in the order in which a filter is written down."""
    return [part.name for part in PARTS]


def is_parameter(name: str) -> bool:
    """Tell whether a filter knows a parameter of this name."""
    return name in parameters() or name.startswith(PAYLOAD_PREFIX)


def _unknown(names: Sequence[str]) -> str:
    return _(
        "The filter has a part that nobody knows: {part}. It has {names} and {payload_prefix}PATH."
    ).format(part=quoted(names[0]), names=", ".join(parameters()), payload_prefix=PAYLOAD_PREFIX)


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


def _keys() -> Keys:
    return Keys((*parameters(), HAS))


def _canonical(trees: tuple[Tree, ...]) -> str:
    """Return the text of trees that must all match; a lone text to search for is written as it was typed."""
    match trees:
        case (Term(key, (value,)),) if key == TEXT and not is_language(value.text, _keys()):
            return value.text
    return write(trees[0] if len(trees) == 1 else All(trees))


def _order(tree: Tree) -> tuple[int, str]:
    """Return the place of a tree among others: single terms first, as the parts stand."""
    names = parameters()
    place = names.index(tree.key) if isinstance(tree, Term) and tree.key in names else len(names)
    return place, write(tree)


class _Parser:
    """Reads parameters one by one and collects what is wrong with them."""

    def __init__(self, texts: Mapping[str, Any], beside: Collection[str] | None = None) -> None:
        self.texts, self.parts = texts, {part.name: part for part in PARTS}
        # if it were ignored, an unknown one would match more dead letters than were asked for
        others = () if beside is None else (name for name in texts if name not in beside)
        unknown = [name for name in others if not is_parameter(name)]
        self.problems: list[str] = [_unknown(unknown)] if unknown else []
        self.text, self.at = "", -1

    def result(self) -> DeadLetterFilter:
        paths_given = sorted(name for name in self.texts if name.startswith(PAYLOAD_PREFIX))
        trees = [self._tree(name) for name in (*parameters(), *paths_given)]
        if self.problems:
            raise InvalidFilter(self.problems, self.text, self.at)
        made = _of_tree(normal(All(tuple(trees)), _order), self.parts)
        if len({path for path, _term in paths(made.tree)}) > MAX_PATH_FILTERS:
            self.problems.append(
                _("At most {most} payload paths can be filtered at once.").format(most=MAX_PATH_FILTERS)
            )
        # an age passes a date some day: a filter that is kept stays readable, and matches nothing then
        is_same_sort = isinstance(made.since, Ago) == isinstance(made.until, Ago)
        if made.since and made.until and is_same_sort and made.since >= made.until:
            self.problems.append(_("since must be before until."))
        if self.problems:
            raise InvalidFilter(self.problems)
        return made

    def _tree(self, name: str) -> Tree:
        text = str(self.texts.get(name) or "").strip()
        if not text:
            return EVERYTHING
        try:
            return checked(read(text, _keys()) if name == TEXT else literal(name, text), self.parts)
        except Mistake as mistake:
            self.problems.append(mistake.sentence)
            if name == TEXT and is_language(text, _keys()):
                self.text, self.at = text, mistake.at
            return EVERYTHING


def _of_tree(tree: Tree, parts: Mapping[str, FilterPart]) -> DeadLetterFilter:
    """Return the filter of a checked tree in its normal form: the first whole value of a key is its facet."""
    values: dict[str, Any] = {}
    payload: dict[str, str] = {}
    rest: list[Tree] = []
    for each in conjuncts(tree):
        path = isinstance(each, Term) and each.key.startswith(PAYLOAD_PREFIX)
        if not isinstance(each, Term) or not each.is_plain or each.key == HAS:
            rest.append(each)
        elif path and each.key.removeprefix(PAYLOAD_PREFIX) not in payload:
            payload[each.key.removeprefix(PAYLOAD_PREFIX)] = each.values[0].text
        elif not path and each.key not in values:
            values[each.key] = parts[each.key].read(each.values[0].text)
        else:
            rest.append(each)
    return DeadLetterFilter(payload=tuple(sorted(payload.items())), rest=tuple(rest), **values)


check_parts(PARTS, [*dir(DeadLetterFilter), HAS], [column.name for column in DeadLetter._meta.fields])
