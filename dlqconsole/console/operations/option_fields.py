"""The inputs of an option of an operation, with what the confirm page does when a person changes one."""

from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Field as FormField
from django.urls import reverse

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.options import RATE, Option


def fields_of(option: Option) -> dict[str, FormField]:
    """The inputs by name."""
    if option.parts:
        return {field.name: TypedField(field) for field in option.inputs}
    return {option.name: OptionField(option)}


class OptionField(TypedField):
    """An input that the option itself reads."""

    def __init__(self, option: Option) -> None:
        # the option says what is missing; a browser would stop a person who only looks
        super().__init__(option.field, required=False)
        self.option = option
        self.widget.attrs |= _reloads(option)

    def to_python(self, value: Any) -> Any:
        """The option's value. Raises ValidationError."""
        try:
            return self.option.read_for(value)
        except OperationRefused as problem:
            raise ValidationError(str(problem), code="invalid") from problem


def _reloads(option: Option) -> dict[str, str]:
    """The attributes that load the page again: all of it for other items, for another rate the time."""
    target = {"hx-target": "closest form", "hx-trigger": "change"}
    if option is RATE:
        target = {"hx-target": "#confirm-takes", "hx-select": "#confirm-takes"}
    elif not option.recounts:
        return {}
    return {"hx-post": reverse("dlq:operation_confirm"), "hx-swap": "outerHTML"} | target
