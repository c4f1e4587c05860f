"""Days of the calendar, hours of the day, future times, and times that a form carries along."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django.forms import TextInput

from dlqconsole.console.parts.fields.typed import TypedField
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.durations import as_duration
from dlqconsole.processing.inputs.moments import as_day, as_moment, read_clock, read_day
from dlqconsole.processing.inputs.plain_text import quoted


class _DayInput(TextInput):
    """The browser's own calendar. It would hide a text that is no day, so that gets a plain input."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        day = as_day(str(value or ""))
        context = super().get_context(name, day.isoformat() if day else value, attrs)
        context["widget"]["type"] = "date" if day or not value else "text"
        return context


class DayField(TypedField):
    """A day of the calendar. None when empty."""

    widget = _DayInput

    def read(self, text: str) -> date:
        return read_day(text, self.what)


class MomentField(TypedField):
    """A time that the form wrote itself. None when empty, or if something else was posted."""

    def read(self, text: str) -> datetime | None:
        return as_moment(text)


class ClockField(TypedField):
    """An hour and a minute of the day, as the clock on the wall shows them. None when empty."""

    widget = TextInput(attrs={"autocomplete": "off", "placeholder": "22:00", "maxlength": "5"})

    def read(self, text: str) -> time:
        return read_clock(text, self.what)


class UntilField(TypedField):
    """A future time: a datetime in UTC, or the time from now as a timedelta."""

    def read(self, text: str) -> datetime | timedelta:
        end = as_duration(text) or as_moment(text)
        if end is None:
            raise InvalidInput(
                f"{quoted(text)} is no time: write how long (8h, 3d, 2w), a date (2026-12-01) or a time in"
                " UTC (2026-12-01T08:00)."
            )
        return end
