"""Form fields for typed values. Each says what is wrong in one sentence and keeps the typed text.

A value is declared in ``processing.inputs.fields``: command lines and services read by the same declaration.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import BooleanField, HiddenInput, Textarea, UUIDField
from django.forms import Field as FormField

from dlqconsole.console.parts.widgets import YesBox, attrs_of, widget_of
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import translated, translated_lazy
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Text
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import NO_REASON, REASON_LIMIT, echo_text
from dlqconsole.processing.inputs.times import as_moment

SHOWN = 200  # characters of a typed text in a field for a number
# From this limit on a text is prose, not a name: TEXT_SHOWN characters of it are shown again at most.
LONG, TEXT_SHOWN = 1_000, 20_000
LARGEST_VERSION = 2**31 - 1


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
            "error_messages": {"required": translated_lazy(declaration.missing())},
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
            raise ValidationError(translated(problem), code="invalid") from problem

    def prepare_value(self, value: Any) -> Any:
        """A typed text, or a value as a person types it."""
        return super().prepare_value(value if isinstance(value, str) else self.declaration.text(value))

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        """The attributes that the declaration gives a visible input."""
        return {} if widget.is_hidden else attrs_of(self.declaration)


class ReasonField(TypedField):
    """The reason, for the audit log. Required, unless said otherwise."""

    def __init__(self, *, no_reason: str = NO_REASON, **options: Any) -> None:
        reason = Text(what=_("The reason"), limit=REASON_LIMIT, no_value=no_reason, lines=2)
        super().__init__(reason, **{"label": _("Why? It goes into the audit.")} | options)


class SwitchField(BooleanField):
    """On or off."""

    widget = YesBox

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False} | options)


class JsonTextField(ShownAgain):
    """JSON as a person typed it, every character kept: its own reader reports errors."""

    widget = Textarea(attrs={"class": "code", "spellcheck": "false", "wrap": "off"})

    def __init__(self, *, limit: int, **options: Any) -> None:
        super().__init__(**options)
        self.shown_limit = limit

    def to_python(self, value: Any) -> str:
        """The text; a browser ends lines with CR LF, JSON people do not."""
        return "" if value is None else str(value).replace("\r\n", "\n")

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(self.to_python(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowVersion(Field):
    """The version of a row; ``sentence``: what to do where the form lost it."""

    sentence: str

    def read(self, text: str) -> int:
        version = as_id(text, LARGEST_VERSION)
        if version is None:
            raise InvalidInput(self.sentence)
        return version

    def missing(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Field):
    """A time that the form wrote itself; None if something else was posted."""

    def read(self, text: str) -> datetime | None:
        return as_moment(text)


class VersionField(TypedField):
    """The version of the row that the person saw; hidden, and refused if the form lost it."""

    def __init__(self, *, sentence: str, **options: Any) -> None:
        super().__init__(RowVersion(sentence=sentence), **{"widget": HiddenInput} | options)


class RequestKeyField(ShownAgain, UUIDField):
    """The form's own key: the same click twice is one operation."""

    widget = HiddenInput
    default_error_messages = dict.fromkeys(
        ("required", "invalid"), _("The form lost its key. Go back and open it again.")
    )


def inputs(fields: Iterable[Field], **options: Any) -> dict[str, FormField]:
    """The inputs of declared fields, by name."""
    return {field.name: TypedField(field, **options) for field in fields}
