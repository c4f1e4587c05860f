"""What a purge would do, counted before it is asked for."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.operations.asked_operation import NotUnderstood
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import purging

_BUDGET = 5_000  # milliseconds


def standing_to_purge(name: str) -> dict[str, Any]:
    """``purgeable``, counted one by one, or None where that takes too long; ``standing``, the figures."""
    purgeable: int | None = None
    try:
        with summaries.time_budget(_BUDGET):
            purgeable = purging.purgeable(name)
    except summaries.TooSlow:
        pass
    return {"standing": queue_metrics.live_of(name), "purgeable": purgeable}


def read_typed_count(posted: Mapping[str, Any]) -> int:
    """The count that the person saw and typed; raises NotUnderstood where they differ."""
    expected, typed = _digits(posted.get("expected", "")), _digits(posted.get("typed_count", ""))
    if not expected:
        raise NotUnderstood("The form lost its count. Go back and open it again.")
    if typed != expected:
        raise NotUnderstood(f"Type {expected} to confirm that all of them are meant.")
    return int(expected)


def _digits(text: Any) -> str:
    """14,212 and 14 212 are 14212."""
    found = "".join(character for character in str(text) if character.isascii() and character.isdigit())
    return found if len(found) < 19 else ""
