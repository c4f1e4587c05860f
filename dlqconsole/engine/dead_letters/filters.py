"""The one filter of dead letters: list, counts, charts, export, command line and bulk action share it.

A filter is parsed once, kept in a canonical form, and re-run on the server: what a person saw is what an
operation acts on. Its parts are rows of ``filter_parts``; paths into the payload come beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.utils.module_loading import import_string

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import AccessScope, current_access
from dlqconsole.engine.dead_letters import filter_parts, payload_indexes, searching
from dlqconsole.engine.dead_letters.filter_parts import FilterPart, NotReadable
from dlqconsole.engine.dead_letters.owner_part import OWNER
from dlqconsole.engine.dead_letters.part_rules import check_parts
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import features
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

PAYLOAD_PREFIX = "payload."
MAX_LENGTH = 500
MAX_PATH_FILTERS = 5
VALUES_REFUSED = (
    "only operators may search values. Search by event type, key, id, or what a failure group says."
)

# the search box is the last
*_FIRST, _SEARCH = filter_parts.PARTS
PARTS: list[FilterPart] = [
    *_FIRST,
    OWNER,
    *(import_string(path) for feature in features() for path in feature.filter_parts),
    _SEARCH,
]


class DeadLetterFilter:
    """A filter of dead letters. With every part empty it matches all of them.

    ``type``, ``category``, ``status``, ``queue``, ``group``, ``source`` match exactly; ``reason`` and ``q``
    match any part, without regard to case, of what somebody may search (see ``searching``);
    ``since`` ≤ created_at < ``until`` (UTC);
    ``payload`` maps a dotted path (``data.tailnum``) to the text that must stand there.
    """

    def __init__(self, *, payload: tuple[tuple[str, str], ...] = (), **values: Any) -> None:
        if unknown := sorted(values.keys() - set(parameters())):
            raise TypeError(f"a filter has no part {unknown[0]!r}")
        self.payload = payload
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
        return (self._values, self.payload) == (other._values, other.payload)

    def __hash__(self) -> int:
        return hash((tuple(self._values.items()), self.payload))

    def __repr__(self) -> str:
        return f"<filter: {self.words()}>"

    @classmethod
    def parse(cls, texts: Mapping[str, Any], *, beside: Collection[str] | None = None) -> DeadLetterFilter:
        """Read a query string's parameters. ``beside``: what else may stand there; None: anything.

        Raises InvalidFilter with one sentence for each parameter that cannot be understood.
        """
        return _Parser(texts, beside).result()

    @classmethod
    def from_canonical(cls, texts: Mapping[str, Any]) -> DeadLetterFilter:
        """Return the filter that ``canonical()`` gave, as an operation keeps it."""
        return cls.parse(texts)

    def canonical(self) -> dict[str, str]:
        """Return the filter as sorted text parameters, the same for the same meaning."""
        values = {part.name: _as_text(value) for part, value in self._parts()}
        return values | {PAYLOAD_PREFIX + path: text for path, text in self.payload}

    def audit_parameters(self) -> dict[str, str]:
        """Return the parameters as the audit log keeps them."""
        return {name: value for name, _label, value in self.labels()}

    def searched_parameters(self) -> dict[str, str]:
        """Return the parameters of ``canonical`` that search texts and payloads."""
        return {name: text for name, text in self.canonical().items() if name not in self.other_parts}

    @property
    def is_search(self) -> bool:
        """Tell whether it searches texts or payloads."""
        return bool(self.payload or self._texts())

    def one_text(self) -> Meaning | None:
        """Return the meaning of its one text; None where it has more or fewer, or a payload path."""
        texts = self._texts()
        return None if self.payload or len(texts) != 1 else self._meaning(*texts[0])

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
        if self.payload and not current_access().searches_values:
            raise InvalidFilter([f"{PAYLOAD_PREFIX}{self.payload[0][0]}: {VALUES_REFUSED}"])
        problems = [
            f"{part.name} {problem}."
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
        return urlencode(self.canonical())

    def words(self) -> str:
        """Return the filter as a sentence: ``type is flight.departed and status is PENDING``."""
        return " and ".join(f"{label} {value}" for _name, label, value in self.labels()) or "all dead letters"

    def labels(self) -> list[tuple[str, str, str]]:
        """Return (parameter, label, value) of each part, for the chips above a list."""
        parts = {part.name: part for part in PARTS}
        return [
            (name, parts[name].label if name in parts else f"{name} is", _spell(name, parts.get(name), value))
            for name, value in self.canonical().items()
        ]

    def without(self, name: str) -> str:
        """Return the query string of this filter less one parameter."""
        return urlencode({key: value for key, value in self.canonical().items() if key != name})

    def without_status(self) -> DeadLetterFilter:
        """Return the filter for any status."""
        return DeadLetterFilter(payload=self.payload, **self._values | {"status": ""})

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
        if self.payload and not access.searches_values:
            return rows.none()
        for path, text in self.payload:
            condition &= searching.at_path(path, text)
        for part, value in self._parts():
            rows = rows.alias(**part.alias)
            if part.condition:
                condition &= part.condition(value)
        return rows.filter(condition)

    def _meaning(self, part: FilterPart, text: str) -> Meaning:
        """Look up a text's meaning once: a page asks for rows, tabs and counts."""
        access = current_access()
        meaning = self._meanings.get((part.name, access))
        if meaning is None:
            assert part.means  # noqa: S101 - of texts
            meaning = self._meanings[part.name, access] = part.means(text)
        return meaning

    def _texts(self) -> list[tuple[FilterPart, Any]]:
        """Return the searched texts."""
        return [(part, value) for part, value in self._parts() if part.means]

    def _parts(self) -> list[tuple[FilterPart, Any]]:
        """Return the parts that are not empty, with their values."""
        return [(part, self._values[part.name]) for part in PARTS if self._values[part.name] != part.nothing]


def parameters() -> list[str]:
    """Return the names of the parts, in the order in which a filter is written down."""
    return [part.name for part in PARTS]


def is_parameter(name: str) -> bool:
    """Tell whether a filter knows a parameter of this name."""
    return name in parameters() or name.startswith(PAYLOAD_PREFIX)


def _unknown(names: Sequence[str]) -> str:
    return (
        f"The filter has a part that nobody knows: {quoted(names[0])}."
        f" It has {', '.join(parameters())} and {PAYLOAD_PREFIX}PATH."
    )


def _spell(name: str, part: FilterPart | None, value: str) -> str:
    """Return a value for receipts and the audit log; for a masked payload key only its kind."""
    if part is None and (kind := searching.hides(name.removeprefix(PAYLOAD_PREFIX))):
        return f"‹{kind}›"
    return part.says(value) if part and part.says else value


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


class _Parser:
    """Reads parameters one by one and collects what is wrong with them."""

    def __init__(self, texts: Mapping[str, Any], beside: Collection[str] | None = None) -> None:
        self.texts = texts
        # if it were ignored, an unknown one would match more dead letters than were asked for
        others = () if beside is None else (name for name in texts if name not in beside)
        unknown = [name for name in others if not is_parameter(name)]
        self.problems: list[str] = [_unknown(unknown)] if unknown else []

    def result(self) -> DeadLetterFilter:
        values = {part.name: self._value(part) for part in PARTS}
        if values["since"] and values["until"] and values["since"] >= values["until"]:
            self.problems.append("since must be before until.")
        payload = self._paths()
        if self.problems:
            raise InvalidFilter(self.problems)
        return DeadLetterFilter(payload=payload, **values)

    def _value(self, part: FilterPart) -> Any:
        text = self._text(part.name)
        if not text:
            return part.nothing
        try:
            return part.read(text)
        except NotReadable as problem:
            self.problems.append(f"{part.name} {problem}.")
            return part.nothing
        except (ValueError, LookupError, ArithmeticError):
            # an error of somebody's own ``read`` is not written for people
            self.problems.append(f"{part.name} cannot be understood; it is {quoted(text)}.")
            return part.nothing

    def _text(self, name: str) -> str:
        value = str(self.texts.get(name) or "").strip()
        if "\x00" in value:
            self.problems.append(f"{name} holds a NUL character, which no dead letter can contain.")
        elif not is_storable(value):
            self.problems.append(f"{name} is not UTF-8: it holds half a character, or stray bytes.")
        elif len(value) > MAX_LENGTH:
            self.problems.append(f"{name} has {len(value):,} characters; the limit is {MAX_LENGTH}.")
        else:
            return value
        return ""

    def _paths(self) -> tuple[tuple[str, str], ...]:
        names = sorted(name for name in self.texts if name.startswith(PAYLOAD_PREFIX))
        if len(names) > MAX_PATH_FILTERS:
            self.problems.append(f"At most {MAX_PATH_FILTERS} payload paths can be filtered at once.")
            return ()
        pairs = ((name.removeprefix(PAYLOAD_PREFIX), self._text(name)) for name in names)
        return tuple((path, text) for path, text in pairs if text and self._path_is_good(path))

    def _path_is_good(self, path: str) -> bool:
        if not path or "\x00" in path or len(path) > MAX_LENGTH or not path.isprintable():
            self.problems.append(f"payload.{path[:40]!r} is not a path; write payload.data.order_id=7.")
            return False
        return True


check_parts(PARTS, dir(DeadLetterFilter), [column.name for column in DeadLetter._meta.fields])
