"""Messages on a queue that cannot be claimed yet: their number, and until when."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.moments import duration_in_two, moment
from dlqconsole.operations.outcomes import release_times

type Row = dict[str, Any]


def with_later(rows: Sequence[Row]) -> list[Row]:
    """Metrics of queues with ``later``: a sentence for each reason why messages there are not waiting."""
    queue_names = [row["name"] for row in rows if row["held"]]
    until = release_times(queue_names) if queue_names else {}
    return [row | {"later": _sentences(row, until.get(row["name"]))} for row in rows]


def _sentences(row: Row, until: Any) -> list[str]:
    sentences = []
    if row["held"]:
        end = _(" until {until}").format(until=moment(until)) if until else ""
        sentences.append(_("{row} held back for an undo{end}").format(row=_number(row, "held"), end=end))
    if row["scheduled"]:
        seconds = row["first_seconds"]
        first = (
            ""
            if seconds is None
            else _(", the first in {seconds}").format(seconds=duration_in_two(max(seconds, 0)))
        )
        sentences.append(_("{row} for later{first}").format(row=_number(row, "scheduled"), first=first))
    if row["waiting"]:
        behind = row.get("behind_dead_letters")
        these = (
            _(", {messages:,} of them for a dead letter").format(messages=behind["messages"])
            if behind
            else ""
        )
        sentences.append(
            _("{row} behind others of their groups{these}").format(row=_number(row, "waiting"), these=these)
        )
    return sentences


def _number(row: Row, state: str) -> str:
    return f"{row[state]:,}{'+' if state in row['at_least'] else ''}"
