"""What a person wants to see of a report: its days, one of its keys, and what the chart shows."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.forms import Select
from django.http import QueryDict
from django.urls import reverse

from dlqconsole.console.parts.fields import ChoiceField, DayField, PlainTextField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.gate import shown
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.hidden_characters import visible
from dlqconsole.reports import daily
from dlqconsole.reports.models import Report

LONGEST_KEY = 200
_SHOWN = 60  # characters of a value in a list to choose from
_ONE_LINE = {"autocomplete": "off", "spellcheck": "false", "data-search": True}
# "from" is no name for a field in Python
_IN_ADDRESS = {"since": "from", "until": "to"}


class ReportForm(ConsoleForm):
    """All of it may be left out: the newest days, every key, the first figure."""

    ids = "r"

    since = DayField(what="The first day", label="From day", required=False)
    until = DayField(what="The last day", label="To day", required=False)

    def __init__(self, asked: QueryDict, *, report: Report) -> None:
        super().__init__(asked.dict())
        self.report = report
        if set(report.keys) - {daily.NUMBERED}:
            self.fields["key"] = _key_field(report)
        self.fields["metric"] = ChoiceField(
            what="What the chart shows", label="Chart of", choices=_metrics(report), required=False
        )

    def add_prefix(self, field_name: str) -> str:
        return _IN_ADDRESS.get(field_name, field_name)

    def clean(self) -> dict[str, Any]:
        since, until = (self.cleaned_data.get(name) for name in ("since", "until"))
        if since and until and since > until:
            self.add_error("until", f"The first day, {since}, is after the last, {until}.")
        return self.cleaned_data

    @property
    def asked(self) -> dict[str, date | None]:
        """The days that were asked for, as ``daily.days`` takes them."""
        return {name: self._read.get(name) for name in ("since", "until")}

    @property
    def key(self) -> str:
        """One of the key's values; "" for all of them."""
        return str(self._read.get("key", ""))

    @property
    def metric(self) -> str:
        """The figure that the chart shows; "" where the report has none."""
        return self._read.get("metric") or next(iter(self.report.kinds), "")

    def show(self, days: daily.Days, reach: Reach) -> None:
        """Say which days they came to be, and which values of the key there are within them."""
        self._fill_in({"from": days.since, "to": days.until})
        values = daily.key_values(self.report, reach, days)
        if values and "key" not in self.errors:
            self.fields["key"].widget = Select(choices=_to_choose_from(values, self.key))

    def url(self, **changes: Any) -> str:
        """The report's address with something else asked."""
        asked = {_IN_ADDRESS[name]: day for name, day in self.asked.items()}
        values = asked | {"key": self.key, "metric": self.metric} | changes
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{reverse('report', args=[self.report.name])}?{query}"

    def _fill_in(self, days: dict[str, date | None]) -> None:
        left_out = {name: str(day) for name, day in days.items() if day and not self.data.get(name)}
        self.data = {**self.data, **left_out}

    @property
    def _read(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data


def _key_field(report: Report) -> PlainTextField:
    names = [daily.words(name) for name in report.keys if name != daily.NUMBERED]
    label = " or ".join([*names[:1], *(name.lower() for name in names[1:])])
    field = PlainTextField(what=f"The {label.lower()}", limit=LONGEST_KEY, label=label, required=False)
    field.widget.attrs |= _ONE_LINE
    return field


def _metrics(report: Report) -> list[tuple[str, str]]:
    return [(name, daily.words(name, kind)) for name, kind in report.kinds.items()]


def _to_choose_from(values: dict[str, list[str]], chosen: str) -> list[Any]:
    """All, or one; headed by the key's name where there are several keys.

    What the mask would change is none to choose from: its value would stand in the page as it is.
    """
    named = [
        (daily.words(name), [(value, _shown(value)) for value in of_key if shown(value) == value])
        for name, of_key in values.items()
    ]
    known = [value for of_key in values.values() for value in of_key]
    # a key that has no row on these days stays what was asked for
    others = [(chosen, _shown(chosen))] if chosen and chosen not in known else []
    return [("", "all"), *others, *(named if len(named) > 1 else named[0][1])]


def _shown(value: str) -> str:
    text = visible(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
