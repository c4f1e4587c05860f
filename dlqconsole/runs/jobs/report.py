"""The job that computes the failure report and the declared ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Choice, Field
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.times import Day, as_day
from dlqconsole.runs.jobs.base import Job

_OPEN = gettext_lazy("Open: over, and new, missed or changed since they were computed.")
_WHICH = (("open", gettext_lazy("open days")), ("all", gettext_lazy("all days")))


@dataclass(frozen=True, slots=True, kw_only=True)
class DayList(Day):
    """One or more days as text, with commas between them."""

    def read(self, text: str) -> Any:
        for day in _split(text):
            if as_day(day) is None:
                raise InvalidInput(_("{day} is not a day like 2013-06-30.").format(day=quoted(day)))
        return text


class ReportJob(Job):
    name = "report"
    label = gettext_lazy("Report")
    about = gettext_lazy(
        "Computes the failure report and those that you declared, and replaces the days concerned."
    )

    def fields(self) -> list[Field]:
        return [
            # the form's proposal costs least
            Choice(
                name="which",
                what=_("The choice of days"),
                label=_("Which days"),
                hint=_OPEN,
                choices=_WHICH,
                is_required=False,
                proposal="open",
            ),
            DayList(
                name="day",
                label=_("Or one day"),
                hint=_("Like 2026-01-31: then only this one."),
                is_required=False,
            ),
        ]

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Without a choice: all days."""
        return super().read({"which": "", **values})

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return ", ".join(_days(arguments)) or f"{arguments.get('which', 'all')} days"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        if days := _days(arguments):
            return [part for day in days for part in ("--day", day)]
        return ["--open"] if arguments.get("which") == "open" else []


def _days(arguments: Mapping[str, Any]) -> list[str]:
    return _split(arguments.get("day", ""))


def _split(text: str) -> list[str]:
    return [day.strip() for day in text.split(",") if day.strip()]
