"""The forms that restore or erase an archived dead letter."""

from typing import Any

from django.core.exceptions import ValidationError

from dlqconsole.console.parts.fields import ReasonField, TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.processing.inputs.fields import WholeNumber


class ArchiveRestoreForm(ConsoleForm):
    """The reason to take it back into the list."""

    ids = "restore"

    reason = ReasonField()


class EraseForm(ConsoleForm):
    """The reason to erase it; its number is typed once more, because nothing brings it back."""

    ids = "erase"

    number = TypedField(
        WholeNumber(what="The number", label="Type its number: nothing brings it back", low=1)
    )
    reason = ReasonField()

    def __init__(self, *arguments: Any, letter_id: int, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._letter_id = letter_id

    def clean_number(self) -> int:
        number: int = self.cleaned_data["number"]
        if number != self._letter_id:
            raise ValidationError(f"The number must be {self._letter_id}: nothing was erased.")
        return number
