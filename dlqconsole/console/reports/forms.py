"""The filter of a report: its days, one of its keys, and the figure of the chart."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.forms import Select
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import DaysForm
from dlqconsole.engine.gate import shown
from dlqconsole.processing.inputs.fields import Choice, Text
from dlqconsole.processing.texts import visible
from dlqconsole.reports import daily
from dlqconsole.reports.daily import heading_of
from dlqconsole.reports.models import Report

LONGEST_KEY = 200
_SHOWN = 60  # characters of a value in a list to choose from
# "from" is a keyword of Python
_IN_ADDRESS = {"since": "from", "until": "to"}


class ReportForm(DaysForm):
    """The fields, all of them optional: the newest days, every key, the first figure."""

    ids = "r"

    def __init__(self, data: QueryDict, *, report: Report) -> None:
        super().__init__(data.dict())
        self.report = report
        if set(report.keys) - {daily.NUMBERED}:
            self.fields["key"] = _key_field(report)
        self.fields["metric"] = TypedField(
            Choice(what=_("The value of the chart"), label=_("Chart of"), choices=_metrics(report)),
            required=False,
        )

    def add_prefix(self, field_name: str) -> str:
        return _IN_ADDRESS.get(field_name, field_name)

    @property
    def days(self) -> dict[str, date | None]:
        """The requested days, as ``daily.days`` takes them."""
        return {name: self._read.get(name) for name in ("since", "until")}

    @property
    def key(self) -> str:
        """One of the key's values; "" for all of them."""
        return str(self._read.get("key", ""))

    @property
    def metric(self) -> str:
        """The figure of the chart; "" if the report has none."""
        return self._read.get("metric") or next(iter(self.report.kinds), "")

    def show(self, days: daily.Days, values: dict[str, list[str]] | None = None) -> None:
        """Fill in the actual days, and the values of the key within them; None: those of its rows."""
        self._fill_in({"from": days.since, "to": days.until})
        values = values or daily.key_values(self.report, days)
        if values and "key" not in self.errors:
            self.fields["key"].widget = Select(choices=_choices(values, self.key))

    def url(self, **changes: Any) -> str:
        """The report's address with other values."""
        parameters = {_IN_ADDRESS[name]: day for name, day in self.days.items()}
        values = parameters | {"key": self.key, "metric": self.metric} | changes
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{reverse('dlq:report', args=[self.report.name])}?{query}"

    def _fill_in(self, days: dict[str, date | None]) -> None:
        left_out = {name: str(day) for name, day in days.items() if day and not self.data.get(name)}
        self.data = {**self.data, **left_out}

    @property
    def _read(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data


def _key_field(report: Report) -> TypedField:
    names = [heading_of(name) for name in report.keys if name != daily.NUMBERED]
    label = " or ".join([*names[:1], *(name.lower() for name in names[1:])])
    text = Text(what=_("The {lower}").format(lower=label.lower()), label=label, limit=LONGEST_KEY)
    field = TypedField(text, required=False)
    field.widget.attrs |= {"data-search": True}
    return field


def _metrics(report: Report) -> list[tuple[str, str]]:
    return [(name, heading_of(name, kind)) for name, kind in report.kinds.items()]


def _choices(values: dict[str, list[str]], key: str) -> list[Any]:
    """The choices: all, or one value; with several keys, each has a heading.

    A value that the mask would change is no choice: the page would contain it unmasked.
    """
    groups = [
        (heading_of(name), [(value, _shorten(value)) for value in of_key if shown(value) == value])
        for name, of_key in values.items()
    ]
    all_values = [value for of_key in values.values() for value in of_key]
    # a key without rows on these days stays selected
    others = [(key, _shorten(key))] if key and key not in all_values else []
    return [("", "all"), *others, *(groups if len(groups) > 1 else groups[0][1])]


def _shorten(value: str) -> str:
    text = visible(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
