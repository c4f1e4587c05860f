"""Fields of time: a length, a day, an hour of the day, an end."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.durations import as_duration, as_wait, read_wait
from dlqconsole.processing.inputs.fields import Field
from dlqconsole.processing.inputs.moments import as_moment, read_clock, read_day
from dlqconsole.processing.inputs.plain_text import quoted


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
                f"{quoted(text)} is no time: write how long (8h, 3d, 2w), a date (2026-12-01) or a time in"
                " UTC (2026-12-01T08:00)."
            )
        return end
