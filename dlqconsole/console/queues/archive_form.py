"""The search in a queue's archive."""

from django.core.exceptions import ValidationError

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.processing.inputs.fields import Text, WholeNumber

LONGEST = 100


def _moment(label: str, example: str) -> TypedField:
    text = Text(what=label, label=label, limit=LONGEST, placeholder=example)
    return TypedField(text, required=False)


class ArchiveForm(ConsoleForm):
    """One message, or those of a period; times are written as in the list's filter."""

    ids = "ar"

    id = TypedField(WholeNumber(what="The message id", label="Message id", low=1), required=False)
    since = _moment("Archived since", "2h, 2024-05-01")
    until = _moment("Archived before", "1h, 2024-05-02 13:00")

    def clean_since(self) -> str:
        return self._check_time("since")

    def clean_until(self) -> str:
        return self._check_time("until")

    @property
    def criteria(self) -> dict[str, str]:
        """The valid values, as in an address."""
        self.is_valid()
        return {name: str(value) for name, value in self.cleaned_data.items() if value}

    def _check_time(self, name: str) -> str:
        text: str = self.cleaned_data[name]
        try:
            DeadLetterFilter.parse({name: text})
        except InvalidFilter as refusal:
            raise ValidationError(refusal.problems) from refusal
        return text
