"""The form of "Run now": a job's arguments, and the reason."""

from typing import Any

from django.forms import Field as FormField
from django.forms import TextInput

from dlqconsole.console.parts.fields import ChoiceField, DayField, PlainTextField, ReasonField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.runs.jobs import Field, Job

_ONE_LINE = {"autocomplete": "off", "spellcheck": "false"}
_LONGEST = 1_000


class JobForm(ConsoleForm):
    """The fields of one job."""

    ids = "run"

    def __init__(self, *arguments: Any, job: Job, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for field in job.fields():
            self.fields[field.name] = _form_field(field)
        self.fields["reason"] = ReasonField(
            required=False, label="Why? It goes into the audit (may stay empty)"
        )

    @property
    def arguments(self) -> dict[str, str]:
        """The filled-in values, as the job reads them."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {name: str(value) for name, value in values.items() if value not in (None, "")}


def _form_field(field: Field) -> FormField:
    common: dict[str, Any] = {
        "what": field.label,
        "label": field.label,
        "help_text": field.help,
        "required": field.required,
        "initial": field.default,
    }
    if field.choices:
        none = [] if field.default else [("", "any")]
        return ChoiceField(choices=[*none, *field.choices], **common)
    if field.kind == "day":
        return DayField(**common)
    return PlainTextField(limit=_LONGEST, widget=TextInput(attrs=_ONE_LINE), **common)
