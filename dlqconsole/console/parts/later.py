"""Messages on a queue that cannot be claimed yet: their number, and until when."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.engine.moments import moment
from dlqconsole.operations.outcomes import release_times
from dlqconsole.processing.quantities import duration_in_two

type Row = dict[str, Any]


def with_later(rows: Sequence[Row]) -> list[Row]:
    """Metrics of queues with ``later``: a sentence for each reason why messages there are not waiting."""
    queue_names = [row["name"] for row in rows if row["held"]]
    until = release_times(queue_names) if queue_names else {}
    return [row | {"later": _sentences(row, until.get(row["name"]))} for row in rows]


def _sentences(row: Row, until: Any) -> list[str]:
    sentences = []
    if row["held"]:
        end = f" until {moment(until)}" if until else ""
        sentences.append(f"{_number(row, 'held')} held back for an undo{end}")
    if row["scheduled"]:
        seconds = row["first_seconds"]
        first = "" if seconds is None else f", the first in {duration_in_two(max(seconds, 0))}"
        sentences.append(f"{_number(row, 'scheduled')} for later{first}")
    if row["waiting"]:
        behind = row.get("behind_dead_letters")
        these = f", {behind['messages']:,} of them for a dead letter" if behind else ""
        sentences.append(f"{_number(row, 'waiting')} behind others of their groups{these}")
    return sentences


def _number(row: Row, state: str) -> str:
    return f"{row[state]:,}{'+' if state in row['at_least'] else ''}"
