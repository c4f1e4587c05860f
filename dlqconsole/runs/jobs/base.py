"""The base class of jobs. Each job is one file beside this."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.inputs.plain_text import is_storable, quoted
from dlqconsole.runs.errors import RunRefused

# MiB: the JVM with its gigabyte of heap, and a Python worker for each of two cores
SPARK_MEMORY = 1_536
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form "Run now". ``choices``: the only values; without any, free text.

    ``kind``: "text" or "day".
    """

    name: str
    label: str
    help: str = ""
    required: bool = False
    default: str = ""
    kind: str = "text"
    choices: tuple[tuple[str, str], ...] = ()


class Job:
    """A job of ``python -m dlqconsole.pipeline`` that can be requested."""

    # its command, at most 16 small letters
    name = ""
    # on its button, and in sentences
    label = ""
    # what it does, in one sentence
    about = ""
    # the least role that may request it
    role = "operator"
    # MiB that its processes may need together
    memory = SPARK_MEMORY
    # do people request it on its own; jobs on the items of an operation are requested by the operation
    asked_for = True
    # does the beat request it again and again: its failure stands on the overview until a later run succeeds
    repeats = False

    def fields(self) -> list[Field]:
        """The fields of its form."""
        return []

    def why_not(self) -> str:
        """The reason why nobody can request it here and now; empty: it can be requested."""
        return ""

    def lock(self, arguments: Mapping[str, Any]) -> str:
        """The lock's name, at most 64 characters: one run with it is open at a time."""
        return self.name

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Read the form's values as the arguments to store. Raises RunRefused with a sentence."""
        fields = {field.name: field for field in self.fields()}
        if unknown := sorted(values.keys() - fields.keys()):
            raise RunRefused(f"{self.label} has no argument {quoted(unknown[0])}.")
        arguments = {name: read_text(field, values.get(name)) for name, field in fields.items()}
        return {name: value for name, value in arguments.items() if value}

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """The subject of a run, until its process gives a better one."""
        return ", ".join(str(value) for value in arguments.values())

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """The arguments after ``python -m dlqconsole.pipeline <name>``."""
        return []


def read_text(field: Field, value: Any) -> str:
    """Read one argument as text. Raises RunRefused with a sentence."""
    text = str(value if value is not None else field.default).strip()
    if field.required and not text:
        raise RunRefused(f"{field.label} is missing.")
    if len(text) > _LONGEST or not is_storable(text):
        raise RunRefused(f"{field.label} is too long, or holds what cannot be stored.")
    if field.choices and text and text not in dict(field.choices):
        raise RunRefused(f"{field.label} is one of {', '.join(dict(field.choices))}; not {quoted(text)}.")
    return text
