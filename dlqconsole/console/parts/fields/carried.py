"""Hidden fields: the version that the person saw, and the form's own key."""

from typing import Any

from django.forms import HiddenInput, UUIDField

from dlqconsole.console.parts.fields.typed import ShownAgain, TypedField
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id

LARGEST_VERSION = 2**31 - 1


class VersionField(TypedField):
    """The version of the row that the person saw; hidden, and refused if the form lost it."""

    widget = HiddenInput

    def __init__(self, *, sentence: str, **options: Any) -> None:
        super().__init__(**options)
        self.error_messages["required"] = self.lost_sentence = sentence

    def read(self, text: str) -> int:
        version = as_id(text, LARGEST_VERSION)
        if version is None:
            raise InvalidInput(self.lost_sentence)
        return version


class RequestKeyField(ShownAgain, UUIDField):
    """The form's own key: the same click twice is one operation."""

    widget = HiddenInput
    default_error_messages = dict.fromkeys(
        ("required", "invalid"), "The form lost its key. Go back and open it again."
    )
