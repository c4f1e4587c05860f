"""The orders of the list of queues."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dlqconsole.console.parts.sorting import DESCENDING, Heading, heading
from dlqconsole.engine.queues.metrics import STATES, Row

BY_NAME = "name"
# the heading's name, and the figure that it sorts by
SORTS = {
    BY_NAME: "name",
    **{state: state for state in STATES},
    "oldest": "oldest_due_seconds",
    "pace": "completed_per_minute",
    "failing": "failure_share",
    "dead_letters": "dead_letters",
}


def in_order(rows: Sequence[Row], sort: str) -> list[Row]:
    """The rows by a figure, equal ones by name; those without the figure are the last, either way."""
    figure, last_first = SORTS[sort.removeprefix(DESCENDING)], sort.startswith(DESCENDING)

    def value(row: Row) -> Any:
        return row[figure]

    there = [row for row in rows if value(row) is not None]
    nothing = [row for row in rows if value(row) is None]
    return [*sorted(there, key=value, reverse=last_first), *nothing]


def headings(sort: str) -> dict[str, Heading]:
    """A link for each column, the largest figures first."""

    def url_of(text: str) -> str:
        return reverse("dlq:queues") + ("" if text == BY_NAME else "?" + urlencode({"sort": text}))

    return {
        name: heading(name, name if name == BY_NAME else DESCENDING + name, sort, url_of) for name in SORTS
    }
