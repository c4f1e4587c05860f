"""The options of a kind of operation as a form: a field each, with the typed values again."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.forms import Field as FormField
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import RATE, Option, proposal
from dlqconsole.processing.inputs.fields import Field, Switch

type FormData = Mapping[str, Any]


class OptionsForm(ConsoleForm):
    """A field for each option; ``chosen`` holds the values that could be read.

    A form that is only opened (``is_opened``) shows no errors of untyped fields. ``by_rule``: it belongs to a
    standing rule, which may not use every option, and opens with stored values.
    """

    def __init__(self, kind: Kind, data: FormData, is_opened: bool = False, *, by_rule: bool = False) -> None:
        texts = {name: data[name] for option in kind.options for name in _names(option) if name in data}
        super().__init__(_proposals(kind) | texts, auto_id="confirm-%s")
        self.kind, self.is_opened = kind, is_opened
        self.offered = [option for option in kind.options if option.by_rule or not by_rule]
        self._valid_values: dict[str, Any] = {}
        for option in self.offered:
            self.fields.update(fields_of(option))
        self._untyped = [name for name in self.fields if by_rule or name not in texts]

    def clean(self) -> dict[str, Any]:
        """The values, combined; empty if one is invalid."""
        for option in self.kind.options:
            if option.parts and not self.data.get(option.name):
                self._forgive(_names(option))
        invalid = {option.name for option in self.kind.options if self._is_wrong(option)}
        combination = self._combine({option.name: self._read(option) for option in self.kind.options})
        self._valid_values = {name: value for name, value in combination.items() if name not in invalid}
        if self.is_opened:
            self._forgive(self._untyped)
        return {} if invalid or self.errors else combination

    def _is_wrong(self, option: Option) -> bool:
        return any(name in self.errors for name in _names(option))

    def _combine(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options, combined by the kind; as they were read if that is refused."""
        try:
            return self.kind.reconcile(options)
        except OperationRefused as problem:
            self.add_error(None, translated(problem))
            return options

    def _read(self, option: Option) -> Any:
        """The value of an option; its proposal in place of an invalid one."""
        if not option.parts:
            return self._value(option.field)
        if not self.cleaned_data.get(option.name):
            return None
        parts = zip(option.parts, option.inputs[1:], strict=True)
        return {part.name: self._value(field) for part, field in parts}

    def _value(self, field: Field) -> Any:
        return proposal(field) if field.name in self.errors else self.cleaned_data.get(field.name)

    def _forgive(self, names: Iterable[str]) -> None:
        for name in names:
            self.errors.pop(name, None)

    @property
    def words(self) -> list[str]:
        """The chosen options in words, as far as they can be read."""
        phrases = shown_words(self.kind, self.chosen)
        return [*phrases, _("something has to be mended")] if self.errors else phrases

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that could be read: all of them in a valid form."""
        self.is_valid()
        return self._valid_values

    def always_open(self) -> list[BoundField]:
        """The fields that are always visible."""
        return [self[option.name] for option in self.offered if not option.is_folded]

    def folded(self) -> list[BoundField]:
        """The inputs behind “Options”."""
        return [self[option.name] for option in self._optional() if not isinstance(option.field, Switch)]

    def switches(self) -> list[BoundField]:
        """The switches behind “Options”."""
        return [
            self[option.name]
            for option in self._optional()
            if isinstance(option.field, Switch) and not option.parts
        ]

    def groups(self) -> list[dict[str, Any]]:
        """The groups behind “Options”: ``switch``, and the ``fields`` that it switches on."""
        return [
            {"switch": self[option.name], "fields": [self[name] for name in _names(option)[1:]]}
            for option in self._optional()
            if option.parts
        ]

    @property
    def is_folded(self) -> bool:
        """Tell whether there is anything behind “Options”."""
        return bool(self._optional())

    def _optional(self) -> list[Option]:
        return [option for option in self.offered if option.is_folded]


def again_fields(kind: Kind, operation: Operation) -> list[tuple[str, Any]]:
    """The options of an earlier operation as a form's fields, to run it again the same way."""
    options = kind.stored_options(operation.parameters) | {RATE.name: operation.rate}
    own_options = [option for option in kind.options if option.name in options]
    return [field for option in own_options for field in option.as_fields(options[option.name]).items()]


def _names(option: Option) -> list[str]:
    return [field.name for field in option.inputs]


def _proposals(kind: Kind) -> dict[str, Any]:
    """The proposals of a form, as if they were typed."""
    fields = [field for option in kind.options for field in option.inputs]
    return {field.name: field.text(proposal(field)) for field in fields}


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
            raise ValidationError(translated(problem), code="invalid") from problem


def _reloads(option: Option) -> dict[str, str]:
    """The attributes that load the page again: all of it for other items, for another rate the time."""
    target = {"hx-target": "closest form", "hx-trigger": "change"}
    if option is RATE:
        target = {"hx-target": "#confirm-takes", "hx-select": "#confirm-takes"}
    elif not option.recounts:
        return {}
    return {"hx-post": reverse("dlq:operation_confirm"), "hx-swap": "outerHTML"} | target
