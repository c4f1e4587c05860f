"""A job on Spark over the items of an operation: the operation requests it, never a person."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing.inputs.fields import Field, WholeNumber
from dlqconsole.runs.jobs.base import Job


class OperationJob(Job):
    """The base class of such jobs."""

    asked_for = False

    def fields(self) -> list[Field]:
        return [WholeNumber(name="operation")]

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return f"operation {arguments['operation']}"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        return ["--operation", str(int(arguments["operation"]))]
