"""The base class of jobs. Each job is one file beside this."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.hosting.wording import translated
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, WholeNumber, read_all
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.runs.errors import RunRefused

OPERATION = stored("operation {number:d}")

# MiB: the JVM with its gigabyte of heap, and a Python worker for each of two cores
SPARK_MEMORY = 1_536


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
        fields = self.fields()
        if unknown := sorted(values.keys() - {field.name for field in fields}):
            raise RunRefused(
                _("{label} has no argument {argument}.").format(label=self.label, argument=quoted(unknown[0]))
            )
        texts = {field.name: str(_given(field, values) or "") for field in fields}
        try:
            arguments = read_all(fields, texts)
        except InvalidInput as refusal:
            raise RunRefused(translated(refusal)) from refusal
        of_name = {field.name: field.text(arguments[field.name]) for field in fields}
        return {name: text for name, text in of_name.items() if text}

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """The subject of a run, until its process gives a better one."""
        return ", ".join(str(value) for value in arguments.values())

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """The arguments after ``python -m dlqconsole.pipeline <name>``."""
        return []


def _given(field: Field, values: Mapping[str, Any]) -> Any:
    value = values.get(field.name)
    return field.proposal if value is None else value


class OperationJob(Job):
    """The base class of such jobs."""

    asked_for = False

    def fields(self) -> list[Field]:
        return [WholeNumber(name="operation")]

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return OPERATION.format(number=int(arguments["operation"]))

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        return ["--operation", str(int(arguments["operation"]))]
