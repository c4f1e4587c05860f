"""The messages of periodic handlers: whoever comes first sends one for each tick."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.handling import registry
from dlqconsole.core.messages.sending import check_queue
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.handlers import Period
from dlqconsole.processing.periods import latest_tick


class PeriodicSender:
    """Sends the messages of ticks for the periodic handlers of DLQ_HANDLERS. By the database's clock."""

    def __init__(self) -> None:
        # the last tick that was sent, by us or another
        self._past: dict[str, datetime] = {}

    def send_due(self) -> int:
        """Send a message for each handler's latest tick, unless that was done. Return their number.

        Raises HandlerSetupError for a queue whose name cannot be.
        """
        periods = registry().periods
        if not periods:
            return 0
        (now,) = fetch_column("SELECT clock_timestamp()", {})
        ticks = {event_type: latest_tick(period, now) for event_type, period in periods.items()}
        due = [event_type for event_type, tick in ticks.items() if self._past.get(event_type) != tick]
        sent = [_send(event_type, periods[event_type], ticks[event_type]) for event_type in due]
        self._past |= ticks
        return sum(sent)


def last_ticks() -> list[dict[str, Any]]:
    """Return the last tick of each periodic handler, with what its code said then."""
    return fetch_dicts(sql("ticks.last"), {})


def _send(event_type: str, period: Period, tick: datetime) -> bool:
    queue = period.queue or event_type
    try:
        check_queue(queue)
    except InvalidMessage as error:
        raise HandlerSetupError(f"@periodic of {event_type!r}: {error}") from error
    values: Mapping[str, object] = asdict(period) | {"event_type": event_type, "queue": queue, "tick": tick}
    return fetch_column(sql("ticks.send"), values) != [None]
