"""The input of a declared field: a typed text is read by the declaration, and shown again."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Field as FormField

from dlqconsole.console.parts.fields.widgets import attrs_of, widget_of
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Text
from dlqconsole.processing.inputs.plain_text import echo_text

SHOWN = 200  # characters of a typed text in a field for a number
# From this limit on a text is prose, not a name: TEXT_SHOWN characters of it are shown again at most.
LONG, TEXT_SHOWN = 1_000, 20_000


class ShownAgain(FormField):
    """A field that shows its typed text again, up to a limit, whatever a form posts."""

    shown_limit = SHOWN

    def prepare_value(self, value: Any) -> Any:
        """A typed text as the form shows it; other values are left to the widget."""
        return echo_text(value, self.shown_limit) if isinstance(value, str) else value


class TypedField(ShownAgain):
    """The input of a declared field. An empty text is no value, or refused if it is required."""

    def __init__(self, declaration: Field, **options: Any) -> None:
        self.declaration = declaration
        if isinstance(declaration, Text):
            # more than fits: a form that is sent back loses nothing of a text, and is refused again
            self.shown_limit = max(declaration.limit, TEXT_SHOWN if declaration.limit >= LONG else SHOWN) + 1
        look: dict[str, Any] = {"label": declaration.label or None, "help_text": declaration.hint}
        look |= {
            "initial": declaration.proposal,
            "required": declaration.is_required,
            "error_messages": {"required": declaration.missing()},
        }
        super().__init__(**look | {"widget": widget_of(declaration)} | options)

    def to_python(self, value: Any) -> Any:
        """The value, before the check whether it is required. Raises ValidationError."""
        text = "" if value is None else str(value).strip()
        if not text:
            return self.declaration.nothing
        try:
            return self.declaration.read(text)
        except InvalidInput as problem:
            raise ValidationError(str(problem), code="invalid") from problem

    def prepare_value(self, value: Any) -> Any:
        """A typed text, or a value as a person types it."""
        return super().prepare_value(value if isinstance(value, str) else self.declaration.text(value))

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        """The attributes that the declaration gives a visible input."""
        return {} if widget.is_hidden else attrs_of(self.declaration)


def inputs(fields: Iterable[Field], **options: Any) -> dict[str, FormField]:
    """The inputs of declared fields, by name."""
    return {field.name: TypedField(field, **options) for field in fields}
