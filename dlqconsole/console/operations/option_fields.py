"""The field for each option of a kind of operation, with the option's bounds and words."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import CheckboxInput, Field, Select, Textarea, TextInput, Widget
from django.urls import reverse

from dlqconsole.console.parts.fields import CountField, DurationField, RateField, ShownAgain
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


def fields_of(option: Option) -> dict[str, Field]:
    """The fields by name."""
    if not isinstance(option, GroupOption):
        return {option.name: _field(option)}
    parts = {name: _field(part) for name, part in zip(option.fields, option.options, strict=True)}
    switch = GroupSwitchField(label=option.label, help_text=option.hint, required=False, widget=_OnBox)
    return {option.name: switch, **parts}


class _OnBox(CheckboxInput):
    """A checkbox that passes the posted value on: the option refuses a value that is no yes."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name)


class GroupSwitchField(ShownAgain):
    """The switch of a group of options: read like every other switch."""

    def to_python(self, value: Any) -> bool:
        """Yes or no. Raises ValidationError."""
        try:
            return is_on(value)
        except OperationRefused as problem:
            raise ValidationError(str(problem), code="invalid") from problem


class OptionField(ShownAgain):
    """A field that the option itself reads."""

    shown_limit = RECIPE_LIMIT + 1

    def __init__(self, option: Option, **look: Any) -> None:
        super().__init__(**look)
        self.option = option

    def to_python(self, value: Any) -> Any:
        """The option's value. Raises ValidationError."""
        try:
            return self.option.read_for(value)
        except OperationRefused as problem:
            raise ValidationError(str(problem), code="invalid") from problem


def _field(option: Option) -> Field:
    look = {"label": option.label, "help_text": option.hint, "required": False, "widget": _widget(option)}
    if isinstance(option, NumberOption):
        return _number_field(option, look)
    return OptionField(option, **look)


def _number_field(option: NumberOption, look: Mapping[str, Any]) -> CountField:
    reader = _NUMBERS.get(type(option), CountField)
    field = reader(what=option.what, low=option.low, high=option.high, **look)
    field.nothing = option.default
    return field


def _widget(option: Option) -> Widget:
    if isinstance(option, SwitchOption):
        return _OnBox(_reload_page() if option.recounts else {})
    if isinstance(option, ChoiceOption):
        return Select(choices=option.choices)
    attrs = {"autocomplete": "off", "placeholder": option.placeholder, "spellcheck": "false"}
    if isinstance(option, TextOption) and option.lines > 1:
        return Textarea({**attrs, "rows": option.lines, "class": "mono"})
    return TextInput(attrs | (_reload_time() if option is RATE else {}))


def _reload_page() -> dict[str, str]:
    """With it, the operation acts on other items: the page is loaded again with their number."""
    return {
        "hx-post": reverse("operation_confirm"),
        "hx-trigger": "change",
        "hx-target": "closest form",
        "hx-swap": "outerHTML",
    }


def _reload_time() -> dict[str, str]:
    """Another rate takes another time: the page shows it at once."""
    return {
        "hx-post": reverse("operation_confirm"),
        "hx-trigger": "change",
        "hx-target": "#confirm-takes",
        "hx-select": "#confirm-takes",
        "hx-swap": "outerHTML",
    }
