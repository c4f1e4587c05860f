"""What all fields share: a typed text is read by a rule, and shown again."""

from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Field, TextInput, Widget

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import echo_text

SHOWN = 200  # characters of what was typed where a number belongs


class ShownAgain(Field):
    """Shows again what was typed: no more of it than a page bears, whatever somebody posts."""

    shown = SHOWN

    def prepare_value(self, value: Any) -> Any:
        """A typed text as the form shows it; other values are the widget's."""
        return echo_text(value, self.shown) if isinstance(value, str) else value


class TypedField(ShownAgain):
    """Reads one typed text by a rule. An empty one is ``nothing``, or refused where the field is required."""

    nothing: Any = None
    widget: Widget | type[Widget] = TextInput

    def __init__(self, *, what: str = "It", **options: Any) -> None:
        super().__init__(**options)
        self.what = what

    def read(self, text: str) -> Any:
        """The value of a text that is not empty. Raises InvalidInput."""
        return text

    def to_python(self, value: Any) -> Any:
        """The value, before it is asked whether it was needed. Raises ValidationError."""
        text = self.stripped(value)
        if not text:
            return self.nothing
        try:
            return self.read(text)
        except InvalidInput as problem:
            raise ValidationError(str(problem), code="invalid") from problem

    def stripped(self, value: Any) -> str:
        """The typed text without the spaces around it."""
        return "" if value is None else str(value).strip()
