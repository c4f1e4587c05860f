"""Form fields for what people type here. Each says what is wrong in one sentence and keeps what was typed.

The rules are in ``processing.inputs``: command lines and services read by them, too. A field's ``what``
begins its sentence: “The note has 12,000 characters; the limit is 10,000.”
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import (
    BooleanField,
    CheckboxInput,
    Field,
    HiddenInput,
    Textarea,
    TextInput,
    TypedChoiceField,
    UUIDField,
    Widget,
)

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.moments import as_day, read_day
from dlqconsole.processing.inputs.numbers import LARGEST, as_id, quoted, read_count, read_measure
from dlqconsole.processing.inputs.plain_text import check_text, shown_again
from dlqconsole.processing.inputs.reasons import NO_REASON, REASON_LIMIT, read_reason

SHOWN = 200  # characters of what was typed where a number belongs
LARGEST_VERSION = 2**31 - 1


class ShownAgain(Field):
    """Shows again what was typed: no more of it than a page bears, whatever somebody posts."""

    shown = SHOWN

    def prepare_value(self, value: Any) -> Any:
        """A typed text as the form shows it; other values are the widget's."""
        return shown_again(value, self.shown) if isinstance(value, str) else value


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


class PlainTextField(TypedField):
    """Text of at most ``limit`` characters, without NUL and halves of characters; "" when empty."""

    nothing = ""

    def __init__(self, *, limit: int, **options: Any) -> None:
        self.limit = limit
        # one character more than fits, so that a form sent back is refused again and not cut in silence
        self.shown = max(limit, SHOWN) + 1
        super().__init__(**options)

    def read(self, text: str) -> str:
        text = text.replace("\r\n", "\n")  # as browsers send line ends
        check_text(text, self.what, self.limit)
        return text

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"maxlength": str(self.limit)}


class ReasonField(PlainTextField):
    """Why: for the audit log. Required, unless said otherwise."""

    widget = Textarea(attrs={"rows": 2})

    def __init__(self, *, no_reason: str = NO_REASON, **options: Any) -> None:
        options = {"label": "Why? It goes into the audit."} | options
        super().__init__(
            what="The reason", limit=REASON_LIMIT, error_messages={"required": no_reason}, **options
        )

    def read(self, text: str) -> str:
        return read_reason(text)


class CountField(TypedField):
    """A whole number from ``low`` to ``high``: 14212, 14,212 and 14 212 are the same. None when empty."""

    def __init__(self, *, low: int = 0, high: int = LARGEST, **options: Any) -> None:
        super().__init__(**options)
        self.low, self.high = low, high
        self.error_messages["required"] = f"{self.what} is a whole number; nothing was given."

    def read(self, text: str) -> int:
        return read_count(text, self.what, self.low, self.high)

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"inputmode": "numeric", "autocomplete": "off"}


class NumberField(TypedField):
    """A number from ``low`` to ``high``, perhaps with a fraction. None when empty."""

    def __init__(self, *, low: float, high: float, **options: Any) -> None:
        super().__init__(**options)
        self.low, self.high = low, high
        self.error_messages["required"] = f"{self.what} is a number; nothing was given."

    def read(self, text: str) -> float:
        return read_measure(text, self.what, self.low, self.high)

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"inputmode": "decimal", "autocomplete": "off"}


class RateField(CountField):
    """Items a second. Empty is None: as fast as it goes."""

    def __init__(self, *, high: int, low: int = 1, **options: Any) -> None:
        super().__init__(low=low, high=high, **{"what": "The rate", "required": False} | options)


class DurationField(CountField):
    """A length of time in whole seconds, at most a day unless said otherwise."""

    def __init__(self, *, low: int = 0, high: int = 86_400, **options: Any) -> None:
        super().__init__(low=low, high=high, **options)


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


class ItemIdField(CountField):
    """The number of a row, as its page's address shows it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"low": 1} | options)


class VersionField(TypedField):
    """The version of the row that the person saw; hidden, and refused where the form lost it."""

    widget = HiddenInput

    def __init__(self, *, lost: str, **options: Any) -> None:
        super().__init__(**options)
        self.error_messages["required"] = self.lost = lost

    def read(self, text: str) -> int:
        version = as_id(text, LARGEST_VERSION)
        if version is None:
            raise InvalidInput(self.lost)
        return version


class ChoiceField(ShownAgain, TypedChoiceField):
    """One of a few."""

    def __init__(self, *, what: str, choices: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(choices=choices, **options)
        self.known = ", ".join(value for value, _label in choices if value)
        self.what = what

    def validate(self, value: Any) -> None:
        Field.validate(self, value)
        if value and not self.valid_value(value):
            sentence = f"{self.what} is one of {self.known}; it is {quoted(value)}."
            raise ValidationError(sentence, code="invalid")


class _YesBox(CheckboxInput):
    """A box that posts yes."""

    def __init__(self) -> None:
        super().__init__(attrs={"value": "yes"})

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        # what else a form may bring must not switch on what nobody ticked
        return data.get(name) in ("yes", "on", "true", True)


class SwitchField(BooleanField):
    """On or off."""

    widget = _YesBox

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        super().__init__(**options)


class RequestKeyField(ShownAgain, UUIDField):
    """The form's own key: the same click twice is one operation."""

    widget = HiddenInput
    default_error_messages = dict.fromkeys(
        ("required", "invalid"), "The form lost its key. Go back and open it again."
    )


class JsonTextField(ShownAgain):
    """JSON as somebody typed it, every character kept: its own reader says what is wrong with it."""

    widget = Textarea(attrs={"class": "code", "spellcheck": "false", "wrap": "off"})

    def __init__(self, *, shown: int, **options: Any) -> None:
        super().__init__(**options)
        self.shown = shown

    def to_python(self, value: Any) -> str:
        """The text; a browser ends lines with CR LF, JSON people do not."""
        return "" if value is None else str(value).replace("\r\n", "\n")

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(self.to_python(value))
