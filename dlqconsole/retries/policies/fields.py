"""The values of a policy; pages, commands and the service read them by these fields.

On a command line the waits are one text, and so is the window.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Choice, Field, Number, Text, WholeNumber, YesNo
from dlqconsole.processing.inputs.times import Clock, Until, Wait
from dlqconsole.retries.models import BackoffKind, RetryAction
from dlqconsole.retries.policies.windows import ALWAYS, window_columns

AS_NEXT = gettext_lazy("as the next policy says")
# left open, a value comes from the next less specific policy
_OPEN: dict[str, Any] = {"is_required": False, "empty_word": "open"}

SCOPE: tuple[Field, ...] = (
    Text(
        name="event_type",
        what=gettext_lazy("The event type"),
        label=gettext_lazy("Event type"),
        hint=gettext_lazy("empty: any"),
        flags=("--type",),
        metavar="TYPE",
        help="an event type",
        is_required=False,
        nothing=None,
        limit=255,
    ),
    WholeNumber(
        name="group",
        what=gettext_lazy("The group"),
        label=gettext_lazy("Failure group"),
        hint=gettext_lazy("its number, alone; empty: any"),
        help="a failure group, alone",
        is_required=False,
        low=1,
    ),
)
UNTIL: Field = Until(
    name="until",
    what=gettext_lazy("The end"),
    label=gettext_lazy("Until"),
    hint=gettext_lazy("8h, 3d, a date or a time in UTC; empty: until somebody resumes it"),
    help="8h, 3d, or a time in UTC",
    is_required=False,
)
ENABLED = YesNo(
    name="enabled",
    what=gettext_lazy("Whether the schedule retries them"),
    label=gettext_lazy("Retried by the schedule"),
    help="whether the schedule retries them",
    choices=(("yes", "yes"), ("no", gettext_lazy("no: a person decides"))),
    empty=AS_NEXT,
    **_OPEN,
)
ACTION = Choice(
    name="action",
    what=gettext_lazy("The action"),
    label=gettext_lazy("When it is due"),
    help="run its handler, or put it back on its queue",
    choices=RetryAction.choices,
    empty=AS_NEXT,
    **_OPEN,
)
MAX_RETRIES = WholeNumber(
    name="max_retries",
    what=gettext_lazy("The number of retries"),
    label=gettext_lazy("Most retries"),
    help="so many failed tries in all",
    high=1_000_000,
    **_OPEN,
)
RATE = Number(
    name="rate",
    what=gettext_lazy("The rate"),
    label=gettext_lazy("Attempts a second"),
    help="attempts a second",
    low=0.001,
    high=1_000_000,
    **_OPEN,
)
BACKOFF = (
    Choice(
        name="backoff",
        what=gettext_lazy("The way of waiting"),
        label=gettext_lazy("Waits after a failure"),
        choices=BackoffKind.choices,
        empty=AS_NEXT,
        **_OPEN,
    ),
    Wait(
        name="backoff_base_seconds",
        what=gettext_lazy("The first wait"),
        label=gettext_lazy("First wait"),
        hint="30s, 90m, 6h",
        **_OPEN,
    ),
    Wait(
        name="backoff_cap_seconds",
        what=gettext_lazy("The longest wait"),
        label=gettext_lazy("Longest wait"),
        hint=gettext_lazy("where it is doubled each time"),
        **_OPEN,
    ),
)
WINDOW = (
    Text(name="window_days", what=gettext_lazy("The days"), nothing=None, limit=64, **_OPEN),
    Clock(
        name="window_begins",
        what=gettext_lazy("The beginning of the window"),
        label=gettext_lazy("From"),
        **_OPEN,
    ),
    Clock(
        name="window_ends",
        what=gettext_lazy("The end of the window"),
        label=gettext_lazy("Until"),
        hint=gettext_lazy("before it begins: on the day after; alike: the whole day"),
        **_OPEN,
    ),
    Text(
        name="window_zone",
        what=gettext_lazy("The time zone"),
        label=gettext_lazy("By the clock of"),
        hint="Europe/Berlin, UTC",
        nothing=None,
        limit=64,
        **_OPEN,
    ),
)
# the columns that a person fills in
COLUMNS = (ENABLED, ACTION, MAX_RETRIES, *BACKOFF, *WINDOW, RATE)
_HOURS = re.compile(r"(\S+)\s+([0-9:]+)-([0-9:]+)\s+(\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitsText(Field):
    """The waits as one text: ``6h`` each time, or ``1m..6h``, doubled from the first to the longest."""

    def read(self, text: str) -> dict[str, Any]:
        kind, first, longest = BACKOFF
        base, dots, cap = text.partition("..")
        return {
            kind.name: "exponential" if dots else "fixed",
            first.name: first.read(base.strip()),
            longest.name: longest.read(cap.strip()) if dots else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowText(Field):
    """The window as one text: ``mon,tue 22:00-06:00 Europe/Berlin``, or ``always``."""

    def read(self, text: str) -> dict[str, Any]:
        if text == "always":
            return window_columns(ALWAYS)
        match = _HOURS.fullmatch(text)
        if match is None:
            raise InvalidInput(_("Write a window as 'mon,tue 22:00-06:00 Europe/Berlin', always, or open."))
        return {field.name: field.read(part) for field, part in zip(WINDOW, match.groups(), strict=True)}


ON_COMMAND_LINE = (
    ENABLED,
    ACTION,
    MAX_RETRIES,
    RATE,
    WaitsText(
        name="backoff",
        metavar="6h|1m..6h",
        help="the same wait each time, or doubled from … to …",
        nothing=dict.fromkeys(field.name for field in BACKOFF),
        **_OPEN,
    ),
    WindowText(
        name="window",
        metavar="DAYS HH:MM-HH:MM ZONE|always",
        help="'mon,tue 22:00-06:00 Europe/Berlin', always, or open",
        nothing=dict.fromkeys(field.name for field in WINDOW),
        **_OPEN,
    ),
)


def columns_of(values: dict[str, Any]) -> dict[str, Any]:
    """The columns of values that a command line gave."""
    columns: dict[str, Any] = {}
    for name, value in values.items():
        columns |= value if isinstance(value, dict) else {name: value}
    return columns
