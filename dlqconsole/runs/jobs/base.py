"""What a kind of job says about itself. One file a job beside this; everybody else asks these questions."""

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
    """Something that the form of "Run now" asks for. ``choices``: the only values there are; else any text.

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
    """A job of ``python -m dlqconsole.pipeline`` that can be asked for."""

    # its command, at most 16 small letters
    name = ""
    # on its button, and in sentences
    label = ""
    # what it does, in one sentence
    about = ""
    # the least role of who may ask for it
    role = "operator"
    # MiB that its processes may come to need together
    memory = SPARK_MEMORY
    # whether people ask for it on its own; an operation asks for what works on its items
    asked_for = True

    def fields(self) -> list[Field]:
        """What its form asks for."""
        return []

    def why_not(self) -> str:
        """Why nobody can ask for it here and now; empty: one can."""
        return ""

    def lock(self, arguments: Mapping[str, Any]) -> str:
        """Of this name one is open at a time, at most 64 characters."""
        return self.name

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they are kept. Raises RunRefused with a sentence."""
        known = {field.name: field for field in self.fields()}
        if unknown := sorted(given.keys() - known.keys()):
            raise RunRefused(f"{self.label} has no argument {quoted(unknown[0])}.")
        read = {name: read_text(field, given.get(name)) for name, field in known.items()}
        return {name: value for name, value in read.items() if value}

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """What it is about, until its process says it better."""
        return ", ".join(str(value) for value in arguments.values())

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """What stands behind ``python -m dlqconsole.pipeline <name>``."""
        return []


def read_text(field: Field, given: Any) -> str:
    """One argument as text. Raises RunRefused with a sentence."""
    text = str(given if given is not None else field.default).strip()
    if field.required and not text:
        raise RunRefused(f"{field.label} is missing.")
    if len(text) > _LONGEST or not is_storable(text):
        raise RunRefused(f"{field.label} is too long, or holds what cannot be stored.")
    if field.choices and text and text not in dict(field.choices):
        raise RunRefused(f"{field.label} is one of {', '.join(dict(field.choices))}; not {quoted(text)}.")
    return text
