"""The options of a kind of operation as a form: a field for each, and what was typed stands there again."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.forms import BoundField

from dlqconsole.console.operations.option_fields import fields_of
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.common_options import RATE
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import GroupOption, Option, SwitchOption

type Posted = Mapping[str, Any]


class OptionsForm(ConsoleForm):
    """A field for each option; ``chosen`` holds what was read of them.

    A form that is only opened (``is_opened``) does not complain of what nobody has typed yet. ``by_rule``:
    it is a standing rule's, which may not choose everything, and opens as it was kept. ``reach``: what the
    person sees who fills it in.
    """

    def __init__(
        self, kind: Kind, posted: Posted, reach: Reach, is_opened: bool = False, *, by_rule: bool = False
    ) -> None:
        given = {option.name: _given(option, posted) for option in kind.options}
        super().__init__(_shown(kind, given, posted), auto_id="confirm-%s")
        self.kind, self.given, self.is_opened = kind, given, is_opened
        self.offered = [option for option in kind.options if option.by_rule or not by_rule]
        self._read_well: dict[str, Any] = {}
        for option in self.offered:
            self.fields.update(fields_of(option, reach))
        self._untyped = [name for name in self.fields if by_rule or name not in self._typed(posted)]

    def clean(self) -> dict[str, Any]:
        """What the fields read, as it goes together; empty where something is mistyped."""
        for option in self.kind.options:
            if isinstance(option, GroupOption) and not self.given[option.name]:
                self._forgive(option.fields)
        wrong = {option.name for option in self.kind.options if self._is_wrong(option)}
        reconcile = self._agreed({option.name: self._read(option) for option in self.kind.options})
        self._read_well = {name: value for name, value in reconcile.items() if name not in wrong}
        if self.is_opened:
            self._forgive(self._untyped)
        return {} if wrong or self.errors else reconcile

    def _is_wrong(self, option: Option) -> bool:
        fields = option.fields if isinstance(option, GroupOption) else ()
        return any(name in self.errors for name in (option.name, *fields))

    def _agreed(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options as they go together; as they were read where they do not."""
        try:
            return self.kind.reconcile(options)
        except OperationRefused as problem:
            self.add_error(None, str(problem))
            return options

    def _read(self, option: Option) -> Any:
        """What was read of an option; what is proposed in the place of what is mistyped."""
        if not isinstance(option, GroupOption):
            return self._value(option.name, option)
        if not self.given[option.name] or option.name in self.errors:
            return None
        parts = zip(option.fields, option.options, strict=True)
        return {part.name: self._value(field, part) for field, part in parts}

    def _value(self, field: str, option: Option) -> Any:
        return option.proposal() if field in self.errors else self.cleaned_data.get(field)

    def _typed(self, posted: Posted) -> set[str]:
        """The fields of which the form came with something, under whatever former name."""
        groups = [option for option in self.kind.options if isinstance(option, GroupOption)]
        parts = [
            (field, group.field_names(part))
            for group in groups
            for field, part in zip(group.fields, group.options, strict=True)
        ]
        options = [option.name for option in self.kind.options if option.raw_value(posted) is not None]
        return {*options, *(field for field, names in parts if any(name in posted for name in names))}

    def _forgive(self, names: Iterable[str]) -> None:
        for name in names:
            self.errors.pop(name, None)

    @property
    def words(self) -> list[str]:
        """What is chosen, as far as it can be read."""
        said = shown_words(self.kind, self.chosen)
        return [*said, "something has to be mended"] if self.errors else said

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that were read: all of them where nothing is wrong."""
        self.is_valid()
        return self._read_well

    def always_open(self) -> list[BoundField]:
        """The fields that are needed every time."""
        return [self[option.name] for option in self.offered if not option.is_folded]

    def folded(self) -> list[BoundField]:
        """The inputs behind “Options”."""
        return [
            self[option.name]
            for option in self._folded()
            if not isinstance(option, (GroupOption, SwitchOption))
        ]

    def switches(self) -> list[BoundField]:
        """The switches behind “Options”."""
        return [self[option.name] for option in self._folded() if isinstance(option, SwitchOption)]

    def groups(self) -> list[dict[str, Any]]:
        """What belongs together behind “Options”: ``switch``, and the ``fields`` that it switches on."""
        return [
            {"switch": self[option.name], "fields": [self[name] for name in option.fields]}
            for option in self._folded()
            if isinstance(option, GroupOption)
        ]

    @property
    def is_folded(self) -> bool:
        """Whether there is anything behind “Options”."""
        return bool(self._folded())

    def _folded(self) -> list[Option]:
        return [option for option in self.offered if option.is_folded]


def again_fields(kind: Kind, operation: Operation) -> list[tuple[str, Any]]:
    """The options of an operation that was, as a form's fields: what is run again runs the same way."""
    options = kind.stored_options(operation.parameters) | {RATE.name: operation.rate}
    chosen = [option for option in kind.options if option.name in options]
    return [field for option in chosen for field in option.as_fields(options[option.name]).items()]


def _given(option: Option, posted: Posted) -> Any:
    value = option.raw_value(posted)
    return option.proposal() if value is None else value


def _shown(kind: Kind, given: Posted, posted: Posted) -> dict[str, Any]:
    """Every field's value as it was typed, else as it is proposed."""
    fields: dict[str, Any] = {}
    for option in kind.options:
        value = given[option.name]
        if isinstance(option, GroupOption):
            fields |= _parts(option, posted) | {
                option.name: "on" if isinstance(value, Mapping) else value or ""
            }
        elif isinstance(option, SwitchOption):
            fields |= {option.name: "on" if value is True else value or ""}
        else:
            fields |= option.as_fields(value)
    return fields


def _parts(group: GroupOption, posted: Posted) -> dict[str, Any]:
    """What is typed for the options of a group, under whatever former name."""
    return {
        field: next((posted[name] for name in group.field_names(part) if name in posted), part.proposal())
        for field, part in zip(group.fields, group.options, strict=True)
    }
