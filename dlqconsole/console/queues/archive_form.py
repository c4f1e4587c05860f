"""What is looked for in a queue's archive."""

from django.core.exceptions import ValidationError
from django.forms import TextInput

from dlqconsole.console.parts.fields import ItemIdField, PlainTextField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.errors import InvalidFilter

LONGEST = 100


def _moment(label: str, example: str) -> PlainTextField:
    look = TextInput(attrs={"autocomplete": "off", "placeholder": example})
    return PlainTextField(what=label, label=label, limit=LONGEST, required=False, widget=look)


class ArchiveForm(ConsoleForm):
    """One message, or those of some time; times are written as the list's filter reads them."""

    ids = "ar"

    id = ItemIdField(what="The message id", label="Message id", required=False)
    since = _moment("Archived since", "2h, 2024-05-01")
    until = _moment("Archived before", "1h, 2024-05-02 13:00")

    def clean_since(self) -> str:
        return self._readable("since")

    def clean_until(self) -> str:
        return self._readable("until")

    @property
    def wanted(self) -> dict[str, str]:
        """What was asked for, as an address holds it; without what is wrong."""
        self.is_valid()
        return {name: str(value) for name, value in self.cleaned_data.items() if value}

    def _readable(self, name: str) -> str:
        text: str = self.cleaned_data[name]
        try:
            DeadLetterFilter.parse({name: text})
        except InvalidFilter as refusal:
            raise ValidationError(refusal.problems) from refusal
        return text
