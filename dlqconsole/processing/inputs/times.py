"""Days, hours and lengths of time as people type them, and the fields for them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import Sentence

_LENGTH = re.compile(r"([0-9]{1,5})\s*(m|h|d|w)", re.ASCII)
_WAIT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(s|m|h|d|w)", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

# 2026-1-5 3:00, but not the fraction of 03:00:07.5
_LONE_DIGIT = re.compile(r"(?<![0-9.,])[0-9](?![0-9])")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})", re.ASCII)
_SPACE_BEFORE_ZONE = re.compile(r"(?<=:[0-9]{2}) +(?=[+\-Z])")


def as_duration(text: str) -> timedelta | None:
    """90m, 24h, 7d or 2w; None for anything else."""
    match = _LENGTH.fullmatch(text)
    return timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else None


def read_wait(text: str, what: str) -> float:
    """A length of time in seconds: 90s, 6h, 1d. Raises InvalidInput, which begins with ``what``.

    Without a unit nobody knows which one was meant: two hours, and not two seconds.
    """
    match = _WAIT.fullmatch(text)
    if not match:
        raise InvalidInput(
            Sentence(
                "{what} is a length of time such as 30s, 90m or 6h; it is {text}.",
                what=what,
                text=quoted(text),
            )
        )
    return float(match[1]) * _SECONDS[match[2]]


def as_wait(seconds: float) -> str:
    """The same the other way round, in the largest unit that leaves nothing over: ``6h``."""
    for unit, size in reversed(_SECONDS.items()):
        if seconds and not seconds % size:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"


def as_day(text: str) -> date | None:
    """A day of the calendar; None for what is none."""
    return _in_full(text, date.fromisoformat)


def as_moment(text: str) -> datetime | None:
    """A time, or the beginning of a day, in UTC where it says no zone; None for what is none."""
    moment = _in_full(_SPACE_BEFORE_ZONE.sub("", text), datetime.fromisoformat)
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:  # the first and the last day there is, in another zone
        return None


def read_day(text: str, what: str) -> date:
    """A day. Raises InvalidInput, a sentence that begins with ``what``."""
    day = as_day(text)
    if day is None:
        raise InvalidInput(
            Sentence("{what} is a date such as 2026-11-21; it is {text}.", what=what, text=quoted(text))
        )
    return day


def read_clock(text: str, what: str) -> time:
    """An hour and a minute: 22:00, 6:30. Raises InvalidInput, a sentence that begins with ``what``."""
    match = _CLOCK.fullmatch(text)
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        raise InvalidInput(
            Sentence("{what} is a time of the day such as 22:00; it is {text}.", what=what, text=quoted(text))
        )
    return time(int(match[1]), int(match[2]))


def _in_full[T](text: str, read: Callable[[str], T]) -> T | None:
    """Return what the text says, also where a digit was left out as people do."""
    for spelling in (text, _LONE_DIGIT.sub(r"0\g<0>", text)):
        try:
            return read(spelling)
        except ValueError:
            continue
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Field):
    """A length of time as people write it, in seconds: 30s, 90m, 6h."""

    metavar: str = "TIME"

    def read(self, text: str) -> float:
        return read_wait(text, self.what)

    def text(self, value: Any) -> str:
        return "" if value is None else as_wait(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day(Field):
    """A day of the calendar."""

    metavar: str = "DAY"

    def read(self, text: str) -> date:
        return read_day(text, self.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(Field):
    """An hour and a minute of the day, as the clock on the wall shows them."""

    metavar: str = "HH:MM"

    def read(self, text: str) -> time:
        return read_clock(text, self.what)

    def text(self, value: Any) -> str:
        return f"{value:%H:%M}" if isinstance(value, time) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Until(Field):
    """A future time: a datetime in UTC, or the time from now as a timedelta."""

    metavar: str = "WHEN"

    def read(self, text: str) -> datetime | timedelta:
        end = as_duration(text) or as_moment(text)
        if end is None:
            raise InvalidInput(
                Sentence(
                    "{text} is no time: write how long (8h, 3d, 2w), a date (2026-12-01) or a time in"
                    " UTC (2026-12-01T08:00).",
                    text=quoted(text),
                )
            )
        return end
