"""The forms of a playbook: its trigger, its operations, its filter and its budget."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from django.core.exceptions import ValidationError
from django.forms import BoundField, Field
from django.http import QueryDict
from django.utils.translation import gettext as _

from dlqconsole.console.operations.options_form import OptionsForm, fields_of
from dlqconsole.console.parts.fields import ReasonField, SwitchField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.contrib.playbooks import facts, triggers
from dlqconsole.contrib.playbooks.definition import (
    NAME,
    OPERATIONS_PER_DAY,
    PER_DAY,
    PER_HOUR,
    PlaybookRefused,
)
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.processing.inputs.fields import Choice, Text
from dlqconsole.processing.inputs.plain_text import duplicates, quoted

LOST = gettext_lazy("The form lost the version that it was opened with. Go back and open it again.")
_TRIGGERS = [(trigger.name, trigger.label) for trigger in triggers.every()]
_MOST_A_DAY, _OPERATIONS_A_DAY = 10_000, 24


class PlaybookForm(ConsoleForm):
    """All but the operation's own options. A trial needs no reason."""

    ids = "playbook"

    version = VersionField(sentence=LOST)
    name = TypedField(NAME)
    filter = TypedField(
        Text(
            what=gettext_lazy("The filter"),
            label=gettext_lazy("Which dead letters"),
            hint=gettext_lazy(
                "A filter, as it stands in the address of the list: type=flight.departed&reason=weather"
            ),
            limit=4_000,
            no_value=gettext_lazy("Say which dead letters it is about: a filter, or a group."),
            placeholder="group=12",
            is_code=True,
        )
    )
    trigger = TypedField(
        Choice(what=gettext_lazy("The trigger"), label=gettext_lazy("When"), choices=_TRIGGERS)
    )
    per_hour = TypedField(PER_HOUR)
    per_day = TypedField(PER_DAY)
    operations_per_day = TypedField(OPERATIONS_PER_DAY)
    tells_owner = SwitchField()
    reason = ReasonField()

    def __init__(self, data: Any = None, *, row: Playbook | None = None, filter: str = "") -> None:
        super().__init__(data, initial=_stored_values(row) if row else _default_values(filter))
        for trigger in triggers.every():
            for option in trigger.options:
                self.fields.update(fields_of(option))
        self.fields["version"].required = row is not None
        self.fields["key"].widget.attrs["list"] = "breaker-keys"

    @property
    def is_trial(self) -> bool:
        return self.data.get("do") == "try"

    def clean(self) -> dict[str, Any]:
        """Ignore errors in the options of other triggers."""
        trigger_name = self.cleaned_data.get("trigger")
        for trigger in triggers.every():
            if trigger.name != trigger_name:
                self._forgive(option.name for option in trigger.options)
        if self.is_trial:
            self._forgive(("reason", "version"))
        return self.cleaned_data

    def _forgive(self, names: Any) -> None:
        for name in names:
            self.errors.pop(name, None)

    def playbook_values(self, kind: Kind, options: Mapping[str, Any]) -> dict[str, Any]:
        """The playbook as the service takes it. Raises PlaybookRefused."""
        values = self.cleaned_data
        trigger = triggers.get(values["trigger"])
        names = ("name", "trigger", "per_hour", "per_day", "operations_per_day", "tells_owner")
        return {
            **{name: values[name] for name in names},
            "trigger_options": {option.name: values.get(option.name) for option in trigger.options},
            "filter": self._filter(),
            "kind": kind.name,
            "options": options,
        }

    def clean_filter(self) -> str:
        """Raises ValidationError if a part stands there twice: one of them would be dropped."""
        text: str = self.cleaned_data["filter"]
        twice = duplicates(name for name, _value in parse_qsl(text.removeprefix("?")))
        if twice:
            raise ValidationError(
                _("The filter names {part} twice: give each part once.").format(part=quoted(twice[0], 60))
            )
        return text

    def _filter(self) -> dict[str, str]:
        return QueryDict(self.cleaned_data["filter"].removeprefix("?")).dict()

    def refuse(self, refusal: PlaybookRefused) -> None:
        """Show the service's problems, each beside its field."""
        for name, sentence in refusal.problems:
            self.add_error(name if name in self.fields else None, translated(sentence))

    def by_trigger(self) -> list[dict[str, Any]]:
        """Each trigger: its ``name``, ``label``, whether it is ``chosen``, its ``fields``."""
        current = self["trigger"].value() or _TRIGGERS[0][0]
        return [
            {
                "name": trigger.name,
                "label": trigger.label,
                "chosen": trigger.name == current,
                "fields": [self[option.name] for option in trigger.options],
            }
            for trigger in triggers.every()
        ]

    def budget(self) -> list[BoundField]:
        return [self[name] for name in ("per_hour", "per_day", "operations_per_day")]

    @property
    def words(self) -> list[str]:
        """The filter as sentences, as far as it can be read."""
        try:
            query = DeadLetterFilter.parse(QueryDict(str(self["filter"].value() or "").removeprefix("?")))
        except InvalidFilter:
            return []
        return [f"{label} {value}".strip() for _name, label, value in query.labels()]


def _stored_values(row: Playbook) -> dict[str, Any]:
    """The stored values; the defaults of a new one for values that cannot be read any more."""
    names = ("version", "name", "trigger", "per_hour", "per_day", "operations_per_day", "tells_owner")
    values = {name: getattr(row, name) for name in names}
    options = row.trigger_options if isinstance(row.trigger_options, dict) else {}
    return _default_values(_querystring(row)) | values | options


def _querystring(row: Playbook) -> str:
    try:
        return Shown(DeadLetterFilter.from_canonical(row.filter).querystring)
    except facts.CANNOT_READ:
        return ""


def _default_values(filter: str) -> dict[str, Any]:
    return {
        "version": 0,
        "filter": filter,
        "trigger": _TRIGGERS[0][0],
        "per_day": _MOST_A_DAY,
        "operations_per_day": _OPERATIONS_A_DAY,
        "tells_owner": True,
        **{option.name: option.proposal() for each in triggers.every() for option in each.options},
    }


def operation_options(kind: Kind, data: QueryDict | None, row: Playbook | None) -> OptionsForm:
    """The options of its operations: as typed, or as stored; a new one starts with a canary."""
    if data is not None:
        form = OptionsForm(kind, data, by_rule=True)
    elif row is not None and row.kind == kind.name:
        form = OptionsForm(kind, _as_fields(kind, row.options), is_opened=True, by_rule=True)
    else:
        defaults = {"canary": "on"} if kind.offers_canary else {}
        form = OptionsForm(kind, defaults, is_opened=True, by_rule=True)
    for field in form.fields.values():
        _remove_htmx(field)
    return form


def _remove_htmx(field: Field) -> None:
    """Remove the htmx attributes, by which the confirm page of an operation counts again."""
    attrs = field.widget.attrs
    field.widget.attrs = {name: value for name, value in attrs.items() if not name.startswith("hx-")}


def _as_fields(kind: Kind, options: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(options, dict):
        return {}
    own_options = [option for option in kind.options if options.get(option.name) is not None]
    return dict(field for option in own_options for field in option.as_fields(options[option.name]).items())


class PlaybookActionForm(ConsoleForm):
    """The reason to switch, resume or delete a playbook, and the version that the person saw."""

    ids = "confirm"

    version = VersionField(sentence=LOST)
    reason = ReasonField()
