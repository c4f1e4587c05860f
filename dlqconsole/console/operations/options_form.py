"""The options of a kind of operation as a form: a field each, with the typed values again."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.forms import BoundField

from dlqconsole.console.operations.option_fields import fields_of
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.operations.common_options import RATE
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import GroupOption, Option, SwitchOption

type FormData = Mapping[str, Any]


class OptionsForm(ConsoleForm):
    """A field for each option; ``chosen`` holds the values that could be read.

    A form that is only opened (``is_opened``) shows no errors of untyped fields. ``by_rule``: it belongs to a
    standing rule, which may not use every option, and opens with stored values.
    """

    def __init__(self, kind: Kind, data: FormData, is_opened: bool = False, *, by_rule: bool = False) -> None:
        values = {option.name: _value_of(option, data) for option in kind.options}
        super().__init__(_initial(kind, values, data), auto_id="confirm-%s")
        self.kind, self.values, self.is_opened = kind, values, is_opened
        self.offered = [option for option in kind.options if option.by_rule or not by_rule]
        self._valid_values: dict[str, Any] = {}
        for option in self.offered:
            self.fields.update(fields_of(option))
        self._untyped = [name for name in self.fields if by_rule or name not in self._filled_fields(data)]

    def clean(self) -> dict[str, Any]:
        """The values, combined; empty if one is invalid."""
        for option in self.kind.options:
            if isinstance(option, GroupOption) and not self.values[option.name]:
                self._forgive(option.fields)
        invalid = {option.name for option in self.kind.options if self._is_wrong(option)}
        combination = self._combine({option.name: self._read(option) for option in self.kind.options})
        self._valid_values = {name: value for name, value in combination.items() if name not in invalid}
        if self.is_opened:
            self._forgive(self._untyped)
        return {} if invalid or self.errors else combination

    def _is_wrong(self, option: Option) -> bool:
        fields = option.fields if isinstance(option, GroupOption) else ()
        return any(name in self.errors for name in (option.name, *fields))

    def _combine(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options, combined by the kind; as they were read if that is refused."""
        try:
            return self.kind.reconcile(options)
        except OperationRefused as problem:
            self.add_error(None, str(problem))
            return options

    def _read(self, option: Option) -> Any:
        """The value of an option; its default in place of an invalid one."""
        if not isinstance(option, GroupOption):
            return self._value(option.name, option)
        if not self.values[option.name] or option.name in self.errors:
            return None
        parts = zip(option.fields, option.options, strict=True)
        return {part.name: self._value(field, part) for field, part in parts}

    def _value(self, field: str, option: Option) -> Any:
        return option.proposal() if field in self.errors else self.cleaned_data.get(field)

    def _filled_fields(self, data: FormData) -> set[str]:
        """The fields that the form has a value of, under whatever former name."""
        groups = [option for option in self.kind.options if isinstance(option, GroupOption)]
        parts = [
            (field, group.field_names(part))
            for group in groups
            for field, part in zip(group.fields, group.options, strict=True)
        ]
        options = [option.name for option in self.kind.options if option.raw_value(data) is not None]
        return {*options, *(field for field, names in parts if any(name in data for name in names))}

    def _forgive(self, names: Iterable[str]) -> None:
        for name in names:
            self.errors.pop(name, None)

    @property
    def words(self) -> list[str]:
        """The chosen options in words, as far as they can be read."""
        phrases = shown_words(self.kind, self.chosen)
        return [*phrases, "something has to be mended"] if self.errors else phrases

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
        return [
            self[option.name]
            for option in self._optional()
            if not isinstance(option, (GroupOption, SwitchOption))
        ]

    def switches(self) -> list[BoundField]:
        """The switches behind “Options”."""
        return [self[option.name] for option in self._optional() if isinstance(option, SwitchOption)]

    def groups(self) -> list[dict[str, Any]]:
        """The groups behind “Options”: ``switch``, and the ``fields`` that it switches on."""
        return [
            {"switch": self[option.name], "fields": [self[name] for name in option.fields]}
            for option in self._optional()
            if isinstance(option, GroupOption)
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


def _value_of(option: Option, data: FormData) -> Any:
    value = option.raw_value(data)
    return option.proposal() if value is None else value


def _initial(kind: Kind, values: FormData, data: FormData) -> dict[str, Any]:
    """Every field's value as typed, else its default."""
    fields: dict[str, Any] = {}
    for option in kind.options:
        value = values[option.name]
        if isinstance(option, GroupOption):
            fields |= _parts(option, data) | {
                option.name: "on" if isinstance(value, Mapping) else value or ""
            }
        elif isinstance(option, SwitchOption):
            fields |= {option.name: "on" if value is True else value or ""}
        else:
            fields |= option.as_fields(value)
    return fields


def _parts(group: GroupOption, data: FormData) -> dict[str, Any]:
    """The typed values of a group's options, under whatever former name."""
    return {
        field: next((data[name] for name in group.field_names(part) if name in data), part.proposal())
        for field, part in zip(group.fields, group.options, strict=True)
    }
