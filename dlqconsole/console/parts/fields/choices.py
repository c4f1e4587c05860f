"""Fields for one of a few choices, and for yes or no."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import BooleanField, CheckboxInput, Field, TypedChoiceField

from dlqconsole.console.parts.fields.typed import ShownAgain
from dlqconsole.processing.inputs.plain_text import quoted


class ChoiceField(ShownAgain, TypedChoiceField):
    """One of a few."""

    def __init__(self, *, what: str, choices: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(choices=choices, **options)
        self.choice_list = ", ".join(value for value, _label in choices if value)
        self.what = what

    def validate(self, value: Any) -> None:
        Field.validate(self, value)
        if value and not self.valid_value(value):
            sentence = f"{self.what} is one of {self.choice_list}; it is {quoted(value)}."
            raise ValidationError(sentence, code="invalid")


class _YesBox(CheckboxInput):
    """A box that posts yes."""

    def __init__(self) -> None:
        super().__init__(attrs={"value": "yes"})

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        # any other value must not switch on an option that nobody ticked
        return data.get(name) in ("yes", "on", "true", True)


class SwitchField(BooleanField):
    """On or off."""

    widget = _YesBox

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        super().__init__(**options)
