"""A job on Spark over the items of an operation, which asks for it; a person never does."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from dlqconsole.runs.jobs.base import Field, Job


class OnAnOperation(Job):
    """What replay and rehearse have in common."""

    asked_for = False

    def fields(self) -> list[Field]:
        return [Field("operation", "Operation", required=True)]

    def why_not(self) -> str:
        if find_spec("pyspark"):
            return ""
        return "It needs Spark, which is not installed here: pip install -r requirements-spark.txt."

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return f"operation {arguments['operation']}"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        return ["--operation", str(int(arguments["operation"]))]
