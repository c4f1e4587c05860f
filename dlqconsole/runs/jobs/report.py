"""The job that computes the failure report and the declared ones."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing.inputs.moments import as_day
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Field, Job

_OPEN = "Open: over, and new, missed or changed since they were computed."
_WHICH = (("open", "open days"), ("all", "all days"))


class ReportJob(Job):
    name = "report"
    label = "Report"
    about = "Computes the failure report and those that you declared, and replaces the days concerned."

    def fields(self) -> list[Field]:
        return [
            # the form's default costs least
            Field("which", "Which days", help=_OPEN, default="open", choices=_WHICH),
            Field("day", "Or one day", help="Like 2026-01-31: then only this one.", kind="day"),
        ]

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """``day``: one or more as text, with commas between them. Without a choice: all days."""
        arguments = super().read({"which": "", **values})
        for day in _days(arguments):
            if as_day(day) is None:
                raise RunRefused(f"{quoted(day)} is not a day like 2013-06-30.")
        return arguments

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return ", ".join(_days(arguments)) or f"{arguments.get('which', 'all')} days"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        if days := _days(arguments):
            return [part for day in days for part in ("--day", day)]
        return ["--open"] if arguments.get("which") == "open" else []


def _days(arguments: Mapping[str, Any]) -> list[str]:
    return [day.strip() for day in arguments.get("day", "").split(",") if day.strip()]
