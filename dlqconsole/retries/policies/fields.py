"""The values of a policy; pages, commands and the service read them by these fields.

On a command line the waits are one text, and so is the window.
"""

import re
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Choice, Field, Number, Text, WholeNumber, YesNo
from dlqconsole.processing.inputs.times import Clock, Until, Wait
from dlqconsole.retries.models import BackoffKind, RetryAction
from dlqconsole.retries.policies.windows import ALWAYS, window_columns

AS_NEXT = "as the next policy says"
# left open, a value comes from the next less specific policy
_OPEN: dict[str, Any] = {"is_required": False, "empty_word": "open"}

SCOPE: tuple[Field, ...] = (
    Text(
        name="event_type",
        what="The event type",
        label="Event type",
        hint="empty: any",
        flags=("--type",),
        metavar="TYPE",
        help="an event type",
        is_required=False,
        nothing=None,
        limit=255,
    ),
    WholeNumber(
        name="group",
        what="The group",
        label="Failure group",
        hint="its number, alone; empty: any",
        help="a failure group, alone",
        is_required=False,
        low=1,
    ),
)
UNTIL: Field = Until(
    name="until",
    what="The end",
    label="Until",
    hint="8h, 3d, a date or a time in UTC; empty: until somebody resumes it",
    help="8h, 3d, or a time in UTC",
    is_required=False,
)
ENABLED = YesNo(
    name="enabled",
    what="Whether the schedule retries them",
    label="Retried by the schedule",
    help="whether the schedule retries them",
    choices=(("yes", "yes"), ("no", "no: a person decides")),
    empty=AS_NEXT,
    **_OPEN,
)
ACTION = Choice(
    name="action",
    what="The action",
    label="When it is due",
    help="run its handler, or put it back on its queue",
    choices=RetryAction.choices,
    empty=AS_NEXT,
    **_OPEN,
)
MAX_RETRIES = WholeNumber(
    name="max_retries",
    what="The number of retries",
    label="Most retries",
    help="so many failed tries in all",
    high=1_000_000,
    **_OPEN,
)
RATE = Number(
    name="rate",
    what="The rate",
    label="Attempts a second",
    help="attempts a second",
    low=0.001,
    high=1_000_000,
    **_OPEN,
)
BACKOFF = (
    Choice(
        name="backoff",
        what="The way of waiting",
        label="Waits after a failure",
        choices=BackoffKind.choices,
        empty=AS_NEXT,
        **_OPEN,
    ),
    Wait(
        name="backoff_base_seconds", what="The first wait", label="First wait", hint="30s, 90m, 6h", **_OPEN
    ),
    Wait(
        name="backoff_cap_seconds",
        what="The longest wait",
        label="Longest wait",
        hint="where it is doubled each time",
        **_OPEN,
    ),
)
WINDOW = (
    Text(name="window_days", what="The days", nothing=None, limit=64, **_OPEN),
    Clock(name="window_begins", what="The beginning of the window", label="From", **_OPEN),
    Clock(
        name="window_ends",
        what="The end of the window",
        label="Until",
        hint="before it begins: on the day after; alike: the whole day",
        **_OPEN,
    ),
    Text(
        name="window_zone",
        what="The time zone",
        label="By the clock of",
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
            raise InvalidInput("Write a window as 'mon,tue 22:00-06:00 Europe/Berlin', always, or open.")
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
