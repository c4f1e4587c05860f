"""The field for each option of a kind of operation, with the option's bounds and words."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import CheckboxInput, Field, Select, Textarea, TextInput, Widget
from django.urls import reverse

from dlqconsole.console.parts.fields import CountField, DurationField, RateField, ShownAgain
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.common_options import RATE
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.options import (
    ChoiceOption,
    GroupOption,
    NumberOption,
    Option,
    RateOption,
    SecondsOption,
    SwitchOption,
    TextOption,
    is_on,
)
from dlqconsole.processing.patching import RECIPE_LIMIT

_NUMBERS: dict[type[NumberOption], type[CountField]] = {RateOption: RateField, SecondsOption: DurationField}


def fields_of(option: Option, reach: Reach) -> dict[str, Field]:
    """By their names; ``reach``: what the person sees who fills them in."""
    if not isinstance(option, GroupOption):
        return {option.name: _field(option, reach)}
    parts = {name: _field(part, reach) for name, part in zip(option.fields, option.options, strict=True)}
    switch = SwitchField(label=option.label, help_text=option.hint, required=False, widget=_OnBox)
    return {option.name: switch, **parts}


class _OnBox(CheckboxInput):
    """What was posted, as it was: the option says what is no yes."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name)


class SwitchField(ShownAgain):
    """What switches a group of options on: read like every other switch."""

    def to_python(self, value: Any) -> bool:
        """Yes or no. Raises ValidationError."""
        try:
            return is_on(value)
        except OperationRefused as problem:
            raise ValidationError(str(problem), code="invalid") from problem


class OptionField(ShownAgain):
    """Reads what the option says that may stand in it."""

    shown = RECIPE_LIMIT + 1

    def __init__(self, option: Option, reach: Reach, **look: Any) -> None:
        super().__init__(**look)
        self.option, self.reach = option, reach

    def to_python(self, value: Any) -> Any:
        """The option's value. Raises ValidationError."""
        try:
            return self.option.read_for(value, self.reach)
        except OperationRefused as problem:
            raise ValidationError(str(problem), code="invalid") from problem


def _field(option: Option, reach: Reach) -> Field:
    look = {"label": option.label, "help_text": option.hint, "required": False, "widget": _widget(option)}
    if isinstance(option, NumberOption):
        return _number_field(option, look)
    return OptionField(option, reach, **look)


def _number_field(option: NumberOption, look: Mapping[str, Any]) -> CountField:
    reader = _NUMBERS.get(type(option), CountField)
    field = reader(what=option.what, low=option.low, high=option.high, **look)
    field.nothing = option.default
    return field


def _widget(option: Option) -> Widget:
    if isinstance(option, SwitchOption):
        return _OnBox(_counts_again() if option.recounts else {})
    if isinstance(option, ChoiceOption):
        return Select(choices=option.choices)
    attrs = {"autocomplete": "off", "placeholder": option.placeholder, "spellcheck": "false"}
    if isinstance(option, TextOption) and option.lines > 1:
        return Textarea({**attrs, "rows": option.lines, "class": "mono"})
    return TextInput(attrs | (_recounts() if option is RATE else {}))


def _counts_again() -> dict[str, str]:
    """It acts on other items then: the whole page says on how many."""
    return {
        "hx-post": reverse("operation_confirm"),
        "hx-trigger": "change",
        "hx-target": "closest form",
        "hx-swap": "outerHTML",
    }


def _recounts() -> dict[str, str]:
    """Another rate takes another time: the page says so at once."""
    return {
        "hx-post": reverse("operation_confirm"),
        "hx-trigger": "change",
        "hx-target": "#confirm-takes",
        "hx-select": "#confirm-takes",
        "hx-swap": "outerHTML",
    }
