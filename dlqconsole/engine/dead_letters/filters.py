"""The one filter of dead letters: list, counts, charts, export, command line and bulk action share it.

A filter is parsed once, kept in a canonical form, and re-run on the server: what a person saw is what an
operation acts on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils.dateparse import parse_date, parse_datetime

from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing.inputs.durations import as_duration
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import is_storable

PAYLOAD_PREFIX = "payload."
PARAMETERS = ("type", "reason", "category", "status", "queue", "group", "source", "since", "until", "q")
MAX_LENGTH = 500
MAX_PATH_FILTERS = 5
_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_LABELS = {
    "type": "type is",
    "reason": "reason contains",
    "category": "category is",
    "status": "status is",
    "queue": "queue is",
    "group": "group is",
    "source": "source is",
    "since": "failed since",
    "until": "failed before",
    "q": "anything contains",
}


@dataclass(frozen=True, slots=True)
class DeadLetterFilter:
    """Which dead letters are meant. Every field empty means all of them.

    ``type``, ``category``, ``status``, ``queue``, ``group``, ``source`` match exactly; ``reason`` and ``q``
    match any part, without regard to case; ``since`` ≤ created_at < ``until`` (UTC);
    ``payload`` maps a dotted path (``data.tailnum``) to the text that must stand there.
    """

    type: str = ""
    reason: str = ""
    category: str = ""
    status: str = ""
    queue: str = ""
    group: int | None = None
    source: str = ""
    since: datetime | None = None
    until: datetime | None = None
    q: str = ""
    payload: tuple[tuple[str, str], ...] = field(default=())

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> DeadLetterFilter:
        """Read a query string's parameters. Unknown ones are left to others.

        Raises InvalidFilter with one sentence for each parameter that cannot be understood.
        """
        return _Parser(given).result()

    @classmethod
    def from_canonical(cls, stored: Mapping[str, Any]) -> DeadLetterFilter:
        """The filter that ``canonical()`` gave, as an operation keeps it."""
        return cls.parse(stored)

    def canonical(self) -> dict[str, str]:
        """The filter as sorted text parameters, the same for the same meaning."""
        values: dict[str, str] = {}
        for name in PARAMETERS:
            value = getattr(self, name)
            if value not in ("", None):
                values[name] = value.isoformat() if isinstance(value, datetime) else str(value)
        values |= {PAYLOAD_PREFIX + path: text for path, text in self.payload}
        return values

    @property
    def querystring(self) -> str:
        """The filter as it stands in an address, without a question mark."""
        return urlencode(self.canonical())

    def words(self) -> str:
        """The filter as a sentence for people: ``type is flight.departed and status is PENDING``."""
        parts = [f"{_label(name)} {value}" for name, value in self.canonical().items()]
        return " and ".join(parts) or "all dead letters"

    def labels(self) -> list[tuple[str, str, str]]:
        """(parameter, label, value) of each part, for the chips above a list."""
        return [(name, _label(name), value) for name, value in self.canonical().items()]

    def without(self, name: str) -> str:
        """The query string of this filter less one parameter."""
        return urlencode({key: value for key, value in self.canonical().items() if key != name})

    def condition(self) -> Q:
        """The filter for the ORM."""
        condition = Q()
        for name, column in (("type", "event_type"), ("category", "error_category"), ("status", "status")):
            if value := getattr(self, name):
                condition &= Q(**{column: value})
        if self.group is not None:
            condition &= Q(group_id=self.group)
        if self.source:
            condition &= Q(source=self.source)
        if self.queue:
            # a dead letter without a queue belongs to the queue named after its event type
            condition &= Q(queue=self.queue) | Q(queue__isnull=True, event_type=self.queue)
        if self.since:
            condition &= Q(created_at__gte=self.since)
        if self.until:
            condition &= Q(created_at__lt=self.until)
        if self.reason:
            condition &= Q(error_reason__icontains=self.reason)
        if self.q:
            condition &= self._anything()
        return condition

    def _anything(self) -> Q:
        found = (
            Q(error_reason__icontains=self.q)
            | Q(source_key__icontains=self.q)
            | Q(event_type__icontains=self.q)
            | Q(payload_text__contains=self.q)
        )
        if (number := as_id(self.q)) is not None:
            found |= Q(pk=number)
        return found

    def queryset(self) -> QuerySet[DeadLetter]:
        """The dead letters that match, in no order."""
        rows = DeadLetter.objects.all()
        if self.q:
            rows = rows.alias(payload_text=RawSQL("dlq_events.payload::text", ()))
        for number, (path, text) in enumerate(self.payload):
            # #>> with a text array: a path is data, never part of the statement
            found = RawSQL("dlq_events.payload #>> %s::text[]", (path.split("."),))
            rows = rows.alias(**{f"payload_path_{number}": found}).filter(**{f"payload_path_{number}": text})
        return rows.filter(self.condition())


def is_parameter(name: str) -> bool:
    """Whether a filter knows a parameter of this name."""
    return name in PARAMETERS or name.startswith(PAYLOAD_PREFIX)


def _label(name: str) -> str:
    return _LABELS.get(name, f"{name} is")


class _Parser:
    """Reads parameters one by one and collects what is wrong with them."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.problems: list[str] = []

    def result(self) -> DeadLetterFilter:
        values: dict[str, Any] = {
            name: self._text(name) for name in ("type", "reason", "queue", "source", "q")
        }
        values["category"] = self._choice("category", Category.values)
        values["status"] = self._choice("status", DeadLetterStatus.values)
        values["group"] = self._number("group")
        values["since"], values["until"] = self._moment("since"), self._moment("until")
        values["payload"] = self._paths()
        if values["since"] and values["until"] and values["since"] >= values["until"]:
            self.problems.append("since must be before until.")
        if self.problems:
            raise InvalidFilter(self.problems)
        return DeadLetterFilter(**values)

    def _text(self, name: str) -> str:
        value = str(self.given.get(name) or "").strip()
        if "\x00" in value:
            self.problems.append(f"{name} holds a NUL character, which no dead letter can contain.")
        elif not is_storable(value):
            self.problems.append(f"{name} holds half a character (an unpaired surrogate).")
        elif len(value) > MAX_LENGTH:
            self.problems.append(f"{name} has {len(value):,} characters; the limit is {MAX_LENGTH}.")
        else:
            return value
        return ""

    def _choice(self, name: str, allowed: list[str]) -> str:
        value = self._text(name).upper()
        if value and value not in allowed:
            self.problems.append(f"{name} must be one of {', '.join(allowed)}; it is “{value[:40]}”.")
            return ""
        return value

    def _number(self, name: str) -> int | None:
        value = self._text(name)
        if not value:
            return None
        number = as_id(value)
        if number is None:
            self.problems.append(f"{name} must be a number; it is “{value[:40]}”.")
        return number

    def _moment(self, name: str) -> datetime | None:
        value = self._text(name)
        if not value:
            return None
        try:
            moment = _moment(value)
        except (ValueError, OverflowError):
            moment = None
        if moment is None:
            self.problems.append(
                f"{name} must be a date (2026-11-21), a time (2026-11-21T03:00) or an age (90m, 24h, 7d);"
                f" it is “{value[:40]}”."
            )
        elif not _EARLIEST <= moment < _LATEST:
            self.problems.append(f"{name} must lie between 2000 and 2100; it is “{value[:40]}”.")
            return None
        return moment

    def _paths(self) -> tuple[tuple[str, str], ...]:
        names = sorted(name for name in self.given if name.startswith(PAYLOAD_PREFIX))
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


def _moment(value: str) -> datetime | None:
    """A moment in UTC from a date, a time, or an age such as ``24h``."""
    if (age := as_duration(value)) is not None:
        return datetime.now(UTC) - age
    # in a query string "+00:00" arrives as " 00:00"
    moment = parse_datetime(re.sub(r" (\d\d:\d\d)$", r"+\1", value) if "T" in value else value)
    if moment is None and (day := parse_date(value)):
        moment = datetime(day.year, day.month, day.day)
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
