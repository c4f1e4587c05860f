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
from django.db.models.expressions import RawSQL

from dlqconsole.engine.dead_letters.filter_parts import PARTS, FilterPart, NotReadable
from dlqconsole.engine.dead_letters.part_rules import check_parts
from dlqconsole.engine.dead_letters.searching import at_path, glance, holds, is_hashed, later
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import DeadLetter, UnsearchedDeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

PAYLOAD_PREFIX = "payload."
MAX_LENGTH = 500
MAX_PATH_FILTERS = 5


class DeadLetterFilter:
    """Which dead letters are meant. Every part empty means all of them.

    ``type``, ``category``, ``status``, ``queue``, ``group``, ``source`` match exactly; ``reason`` and ``q``
    match any part, without regard to case; ``since`` ≤ created_at < ``until`` (UTC);
    ``payload`` maps a dotted path (``data.tailnum``) to the text that must stand there.
    """

    def __init__(self, *, payload: tuple[tuple[str, str], ...] = (), **values: Any) -> None:
        if unknown := sorted(values.keys() - set(parameters())):
            raise TypeError(f"a filter has no part {unknown[0]!r}")
        self.payload = payload
        self._values = {part.name: values.get(part.name, part.nothing) for part in PARTS}

    def __getattr__(self, name: str) -> Any:
        """The value of a part, or what it is when it is not there: ``matching.type``."""
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
    def parse(cls, given: Mapping[str, Any], *, beside: Collection[str] | None = None) -> DeadLetterFilter:
        """Read a query string's parameters. ``beside``: what else may stand there; None: anything.

        Raises InvalidFilter with one sentence for each parameter that cannot be understood.
        """
        return _Parser(given, beside).result()

    @classmethod
    def from_canonical(cls, stored: Mapping[str, Any]) -> DeadLetterFilter:
        """The filter that ``canonical()`` gave, as an operation keeps it."""
        return cls.parse(stored)

    def canonical(self) -> dict[str, str]:
        """The filter as sorted text parameters, the same for the same meaning."""
        values = {part.name: _as_text(value) for part, value in self._parts()}
        return values | {PAYLOAD_PREFIX + path: text for path, text in self.payload}

    def told(self) -> dict[str, str]:
        """The same as the audit keeps it: of a search in unmasked texts only a hash."""
        return {name: value for name, _label, value in self.labels()}

    @property
    def is_search(self) -> bool:
        """Whether it looks into texts, which have to be looked at before."""
        return bool(self.q or self.reason or any(is_hashed(text) for _path, text in self.payload))

    def unsearched(self, reach: Reach, moment: datetime | None = None) -> QuerySet[DeadLetter]:
        """Those of which only texts are to tell whether they match, and nobody has looked at these yet.

        They are not among the matches. ``moment``: nor had anybody then. None where the filter looks into no
        texts.
        """
        if not self.is_search:
            return DeadLetter.objects.none()
        paths = tuple((path, text) for path, text in self.payload if not is_hashed(text))
        rest = DeadLetterFilter(payload=paths, **self._values | {"q": "", "reason": ""})
        waiting = Q(pk__in=UnsearchedDeadLetter.objects.values("pk"))
        return rest.queryset(reach).filter(waiting | later(moment) if moment else waiting)

    def prepared(self) -> DeadLetterFilter:
        """Itself, when the newest dead letters have been looked at, as many as a moment allows."""
        if self.is_search:
            glance()
        return self

    def naming_what_is_there(self, reach: Reach) -> DeadLetterFilter:
        """Itself. Raises InvalidFilter where it names what is gone, was never there, or is not seen.

        For what a person types: a filter that is kept may name what has gone since, and means nothing then.
        """
        problems = [
            f"{part.name} {problem}."
            for part, value in self._parts()
            for narrower, problem in part.found_by(value)
            if not DeadLetterFilter(**{part.name: narrower}).queryset(reach).exists()
        ]
        if problems:
            raise InvalidFilter(problems[:1])
        return self

    @property
    def querystring(self) -> str:
        """The filter as it stands in an address, without a question mark."""
        return urlencode(self.canonical())

    def words(self) -> str:
        """The filter as a sentence for people: ``type is flight.departed and status is PENDING``."""
        return " and ".join(f"{label} {value}" for _name, label, value in self.labels()) or "all dead letters"

    def labels(self) -> list[tuple[str, str, str]]:
        """(parameter, label, value) of each part, for the chips above a list."""
        known = {part.name: part for part in PARTS}
        return [
            (name, known[name].label if name in known else f"{name} is", _said(known.get(name), value))
            for name, value in self.canonical().items()
        ]

    def without(self, name: str) -> str:
        """The query string of this filter less one parameter."""
        return urlencode({key: value for key, value in self.canonical().items() if key != name})

    def queryset(self, reach: Reach, moment: datetime | None = None) -> QuerySet[DeadLetter]:
        """The dead letters that match and that somebody sees, in no order.

        ``moment``: of what a search finds by now, that which it found then.
        """
        rows: QuerySet[DeadLetter] = reach.limit(DeadLetter.objects.all())
        hashed = Q()
        for number, (path, text) in enumerate(self.payload):
            # #>> with a text array: a path is data, never part of the statement
            found = RawSQL("dlq_events.payload #>> %s::text[]", (path.split("."),))
            rows = rows.alias(**{f"payload_path_{number}": found})
            if is_hashed(text):
                # the value stands in it, and something at the path: where it stands no hash says
                hashed &= holds(text) & Q(**{f"payload_path_{number}__isnull": False})
            else:
                rows = rows.filter(**{f"payload_path_{number}": text})
        condition = hashed
        for part, value in self._parts():
            rows = rows.alias(**part.alias)
            condition &= part.condition(value)
        if moment and self.is_search:
            condition &= ~later(moment)
        return rows.filter(condition)

    def _parts(self) -> list[tuple[FilterPart, Any]]:
        """The parts that are there, with their values."""
        return [(part, self._values[part.name]) for part in PARTS if self._values[part.name] != part.nothing]


def parameters() -> list[str]:
    """The names of the parts, in the order in which a filter is written down."""
    return [part.name for part in PARTS]


def is_parameter(name: str) -> bool:
    """Whether a filter knows a parameter of this name."""
    return name in parameters() or name.startswith(PAYLOAD_PREFIX)


def _unknown(names: Sequence[str]) -> str:
    return (
        f"The filter has a part that nobody knows: {quoted(names[0])}."
        f" It has {', '.join(parameters())} and {PAYLOAD_PREFIX}PATH."
    )


def _said(part: FilterPart | None, value: str) -> str:
    return part.says(value) if part and part.says else value


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


class _Parser:
    """Reads parameters one by one and collects what is wrong with them."""

    def __init__(self, given: Mapping[str, Any], beside: Collection[str] | None = None) -> None:
        self.given = given
        # passed over, an unknown one would mean more dead letters than were asked for
        others = () if beside is None else (name for name in given if name not in beside)
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
            # what a read of somebody's own lets through is not written for people
            self.problems.append(f"{part.name} cannot be understood; it is {quoted(text)}.")
            return part.nothing

    def _text(self, name: str) -> str:
        value = str(self.given.get(name) or "").strip()
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
        names = sorted(name for name in self.given if name.startswith(PAYLOAD_PREFIX))
        if len(names) > MAX_PATH_FILTERS:
            self.problems.append(f"At most {MAX_PATH_FILTERS} payload paths can be filtered at once.")
            return ()
        pairs = ((name.removeprefix(PAYLOAD_PREFIX), self._text(name)) for name in names)
        found = (
            (path, self._at_path(path, text)) for path, text in pairs if text and self._path_is_good(path)
        )
        return tuple((path, text) for path, text in found if text)

    def _at_path(self, path: str, text: str) -> str:
        try:
            return at_path(path, text)
        except ValueError as problem:
            self.problems.append(f"{problem}.")
            return ""

    def _path_is_good(self, path: str) -> bool:
        if not path or "\x00" in path or len(path) > MAX_LENGTH or not path.isprintable():
            self.problems.append(f"payload.{path[:40]!r} is not a path; write payload.data.order_id=7.")
            return False
        return True


check_parts(PARTS, dir(DeadLetterFilter), [column.name for column in DeadLetter._meta.fields])
