"""Hidden fields: the version that the person saw, a moment, and the form's own key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.forms import HiddenInput, UUIDField

from dlqconsole.console.parts.fields.typed import ShownAgain, TypedField
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field
from dlqconsole.processing.inputs.moments import as_moment
from dlqconsole.processing.inputs.numbers import as_id

LARGEST_VERSION = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RowVersion(Field):
    """The version of a row; ``sentence``: what to do where the form lost it."""

    sentence: str

    def read(self, text: str) -> int:
        version = as_id(text, LARGEST_VERSION)
        if version is None:
            raise InvalidInput(self.sentence)
        return version

    def missing(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Field):
    """A time that the form wrote itself; None if something else was posted."""

    def read(self, text: str) -> datetime | None:
        return as_moment(text)


class VersionField(TypedField):
    """The version of the row that the person saw; hidden, and refused if the form lost it."""

    def __init__(self, *, sentence: str, **options: Any) -> None:
        super().__init__(RowVersion(sentence=sentence), **{"widget": HiddenInput} | options)


class RequestKeyField(ShownAgain, UUIDField):
    """The form's own key: the same click twice is one operation."""

    widget = HiddenInput
    default_error_messages = dict.fromkeys(
        ("required", "invalid"), "The form lost its key. Go back and open it again."
    )
