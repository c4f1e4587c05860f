"""The nearest success: of the kept inputs that passed, the most similar to a payload that failed."""

from dataclasses import dataclass
from datetime import datetime

from dlqconsole.console.masking.texts import shown_difference
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import gate
from dlqconsole.processing.differences import TextDifference, difference
from dlqconsole.processing.exact_json import pretty

# the newest samples of a type that are compared, and the longest payload of one
MOST, LARGEST = 200, 16_384


@dataclass(frozen=True, slots=True)
class NearestSuccess:
    """The sample, how much of it is equal, and what differs. ``samples``: compared."""

    source_key: str
    at: datetime
    percent: int
    samples: int
    difference: TextDifference


def nearest_success(letter_id: int) -> NearestSuccess | None:
    """Compare the masked payloads line by line; None without a sample, or where the payload is no JSON."""
    values = {"id": letter_id, "most": MOST, "largest": LARGEST}
    failed = fetch_dicts(sql("nearest.failed"), values)
    if not failed:
        return None
    text = _lines_of(failed[0]["text"])
    passed = [(_lines_of(row["text"]), row) for row in fetch_dicts(sql("nearest.passed"), values)]
    if not passed:
        return None
    best, row = max(passed, key=lambda pair: (_likeness(pair[0], text), pair[1]["sampled_at"]))
    share = int(_likeness(best, text) * 100)
    changes = shown_difference(difference(best, text))
    return NearestSuccess(row["source_key"], row["sampled_at"], share, len(passed), changes)


def _lines_of(text: str) -> str:
    return pretty(gate.shown_json(text))


def _likeness(one: str, other: str) -> float:
    """The share of lines that stand in both."""
    lines, others = ({line.rstrip(",") for line in text.split("\n")} for text in (one, other))
    return len(lines & others) / len(lines | others)
