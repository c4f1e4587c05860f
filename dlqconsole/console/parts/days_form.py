"""A form for a period: its first and its last day."""

from typing import Any

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.processing.inputs.times import Day


class DaysForm(ConsoleForm):
    """Both days may be left empty."""

    since = TypedField(Day(what="The first day", label="From day"), required=False)
    until = TypedField(Day(what="The last day", label="To day"), required=False)

    def clean(self) -> dict[str, Any]:
        since, until = (self.cleaned_data.get(name) for name in ("since", "until"))
        if since and until and since > until:
            self.add_error("until", f"The first day, {since}, is after the last, {until}.")
        return self.cleaned_data
