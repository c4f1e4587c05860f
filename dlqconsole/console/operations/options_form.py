"""The options of a kind of operation as a form: it shows again what was typed, the options read it."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.urls import reverse

from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import RATE, Choice, Group, Number, Option, Switch, Text
from dlqconsole.processing.patching import RECIPE_LIMIT

type Posted = Mapping[str, Any]


class OptionsForm(ConsoleForm):
    """A field for each option; ``options`` holds what was read, and is empty where something was mistyped.

    A form that is only opened (``is_opened``) complains of nothing: nobody has typed yet.
    """

    def __init__(self, kind: Kind, posted: Posted, is_opened: bool = False) -> None:
        given = {option.name: _given(option, posted) for option in kind.options}
        super().__init__(_shown(kind, given, posted), auto_id="confirm-%s")
        self.kind, self.given, self.is_opened = kind, given, is_opened
        self.options: dict[str, Any] = {}
        for option in kind.options:
            self.fields.update(_fields(option))

    def clean(self) -> dict[str, Any]:
        """Each option says for itself what is wrong."""
        read: dict[str, Any] = {}
        for option in self.kind.options:
            try:
                read[option.name] = option.read(self.given[option.name])
            except OperationRefused as problem:
                if self.is_opened:
                    return {}
                self.add_error(option.name, str(problem))
        if not self.errors:
            self.options = self.kind.agreed(read)
        return self.options

    @property
    def words(self) -> list[str]:
        """What is chosen, as far as it can be read."""
        return self.kind.words(self.chosen)

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that were read; empty where something is wrong."""
        return self.options if self.is_valid() else {}

    def always_open(self) -> list[forms.BoundField]:
        """The fields that are needed every time."""
        return [self[option.name] for option in self.kind.options if not option.folded]

    def folded(self) -> list[forms.BoundField]:
        """The inputs behind “Options”."""
        return [self[option.name] for option in self._folded() if not isinstance(option, (Group, Switch))]

    def switches(self) -> list[forms.BoundField]:
        """The switches behind “Options”."""
        return [self[option.name] for option in self._folded() if isinstance(option, Switch)]

    def groups(self) -> list[dict[str, Any]]:
        """What belongs together behind “Options”: ``switch``, and the ``fields`` that it switches on."""
        return [
            {"switch": self[option.name], "fields": [self[name] for name in option.fields]}
            for option in self._folded()
            if isinstance(option, Group)
        ]

    @property
    def is_folded(self) -> bool:
        """Whether there is anything behind “Options”."""
        return bool(self._folded())

    def _folded(self) -> list[Option]:
        return [option for option in self.kind.options if option.folded]


def read_options(kind: Kind, posted: Posted) -> dict[str, Any]:
    """The options, as proposed where the form has none. Raises OperationRefused with a sentence."""
    return kind.read({option.name: _given(option, posted) for option in kind.options})


def again_fields(kind: Kind, operation: Operation) -> list[tuple[str, Any]]:
    """The options of an operation that was, as a form's fields: what is run again runs the same way."""
    options = kind.stored(operation.parameters) | {RATE.name: operation.rate}
    chosen = [option for option in kind.options if option.name in options]
    return [field for option in chosen for field in option.as_fields(options[option.name]).items()]


def _given(option: Option, posted: Posted) -> Any:
    value = option.given(posted)
    return option.proposed() if value is None else value


def _shown(kind: Kind, given: Posted, posted: Posted) -> dict[str, Any]:
    """Every field's value as it was typed, else as it is proposed."""
    fields: dict[str, Any] = {}
    for option in kind.options:
        value = given[option.name]
        if isinstance(option, Group):
            usual = option.as_fields(option.read({part.name: None for part in option.options}))
            fields |= usual | {name: posted[name] for name in option.fields if name in posted}
            fields |= {option.name: "on" if value else ""}
        elif isinstance(option, Switch):
            fields |= {option.name: "on" if value else ""}
        else:
            fields |= option.as_fields(value)
    return {name: _text(value) for name, value in fields.items()}


def _text(value: Any) -> str:
    text = "" if value is None else str(value)
    return text.replace("\x00", "")[:RECIPE_LIMIT].encode("utf-8", "replace").decode()


def _fields(option: Option) -> dict[str, forms.Field]:
    if not isinstance(option, Group):
        return {option.name: _field(option)}
    parts = dict(zip(option.fields, map(_field, option.options), strict=True))
    return {option.name: _field(option), **parts}


def _field(option: Option) -> forms.Field:
    """Only how it looks: what may stand in it the option says."""
    return forms.CharField(
        label=option.label, help_text=option.hint, required=False, widget=_widget(option), strip=False
    )


def _widget(option: Option) -> forms.Widget:
    if isinstance(option, (Switch, Group)):
        return forms.CheckboxInput()
    if isinstance(option, Choice):
        return forms.Select(choices=option.choices)
    attrs = {"autocomplete": "off", "placeholder": option.placeholder, "spellcheck": "false"}
    if isinstance(option, Text) and option.lines > 1:
        return forms.Textarea({**attrs, "rows": option.lines, "class": "mono"})
    if isinstance(option, Number):
        attrs |= {"inputmode": "numeric"}
    return forms.TextInput(attrs | (_recounts() if option is RATE else {}))


def _recounts() -> dict[str, str]:
    """Another rate takes another time: the page says so at once."""
    return {
        "hx-post": reverse("operation_confirm"),
        "hx-trigger": "change",
        "hx-target": "#confirm-takes",
        "hx-select": "#confirm-takes",
        "hx-swap": "outerHTML",
    }
