"""What a purge would do, counted before it is asked for."""

from typing import Any

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
