"""The base of all fields: a typed text is read by a rule, and shown again."""

from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Field, TextInput, Widget

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import echo_text

SHOWN = 200  # characters of a typed text in a field for a number


class ShownAgain(Field):
    """A field that shows its typed text again, up to a limit, whatever a form posts."""

    shown_limit = SHOWN

    def prepare_value(self, value: Any) -> Any:
        """A typed text as the form shows it; other values are left to the widget."""
        return echo_text(value, self.shown_limit) if isinstance(value, str) else value


class TypedField(ShownAgain):
    """A field that reads one text by a rule. An empty one is ``nothing``, or refused if required."""

    nothing: Any = None
    widget: Widget | type[Widget] = TextInput

    def __init__(self, *, what: str = "It", **options: Any) -> None:
        super().__init__(**options)
        self.what = what

    def read(self, text: str) -> Any:
        """The value of a text that is not empty. Raises InvalidInput."""
        return text

    def to_python(self, value: Any) -> Any:
        """The value, before the check whether it is required. Raises ValidationError."""
        text = self.strip_text(value)
        if not text:
            return self.nothing
        try:
            return self.read(text)
        except InvalidInput as problem:
            raise ValidationError(str(problem), code="invalid") from problem

    def strip_text(self, value: Any) -> str:
        """The typed text without the spaces around it."""
        return "" if value is None else str(value).strip()
