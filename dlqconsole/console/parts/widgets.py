"""The widgets of declared fields."""

from collections.abc import Mapping
from typing import Any

from django.forms import CheckboxInput, Select, Textarea, TextInput, Widget

from dlqconsole.hosting.wording import translated_lazy
from dlqconsole.processing.inputs.fields import Choice, Field, Number, Switch, Text, WholeNumber
from dlqconsole.processing.inputs.times import Clock, Day, as_day

_ONE_LINE = {"autocomplete": "off", "spellcheck": "false"}
_ATTRS: dict[type[Field], dict[str, str]] = {
    WholeNumber: {"inputmode": "numeric"},
    Number: {"inputmode": "decimal"},
    Clock: {"placeholder": "22:00", "maxlength": "5"},
}


class DayInput(TextInput):
    """The browser's own calendar. It would hide a text that is no day, so that gets a plain input."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        day = as_day(str(value or ""))
        context = super().get_context(name, day.isoformat() if day else value, attrs)
        context["widget"]["type"] = "date" if day or not value else "text"
        return context


class YesBox(CheckboxInput):
    """A box that posts yes."""

    def __init__(self) -> None:
        super().__init__(attrs={"value": "yes"})

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        # any other value must not switch on an option that nobody ticked
        return data.get(name) in ("yes", "on", "true", True)


class OnBox(CheckboxInput):
    """A box that passes the posted value on: its declaration refuses one that is no yes."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name)


def widget_of(declaration: Field) -> Widget:
    """The widget in which a person types or chooses a value."""
    if isinstance(declaration, Choice):
        return Select(choices=[(value, translated_lazy(label)) for value, label in declaration.offered])
    if isinstance(declaration, Switch):
        return OnBox()
    if isinstance(declaration, Text) and declaration.lines > 1:
        return Textarea({"rows": declaration.lines})
    return (DayInput if isinstance(declaration, Day) else TextInput)(_ONE_LINE)


def attrs_of(declaration: Field) -> dict[str, str]:
    """The attributes of a visible input."""
    attrs = dict(_ATTRS.get(type(declaration), {}))
    if declaration.placeholder:
        attrs["placeholder"] = declaration.placeholder
    if isinstance(declaration, Text):
        attrs |= {"maxlength": str(declaration.limit)} | ({"class": "mono"} if declaration.is_code else {})
    return attrs
