"""Days of the calendar, and moments that a form carries along."""

from datetime import date, datetime
from typing import Any

from django.forms import TextInput

from dlqconsole.console.parts.fields.typed import TypedField
from dlqconsole.processing.inputs.moments import as_day, as_moment, read_day


class _DayInput(TextInput):
    """The browser's own calendar. It hides what is no day, so that stands in a plain input."""

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
    """A moment that the form wrote itself. None when empty, or where something else was posted."""

    def read(self, text: str) -> datetime | None:
        return as_moment(text)
