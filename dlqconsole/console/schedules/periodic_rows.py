"""The periodic handlers, for the schedule's page."""

from typing import Any

from django.urls import reverse

from dlqconsole.core.messages.ticks import last_ticks
from dlqconsole.engine.access_scope import current_access
from dlqconsole.processing.handlers import Period
from dlqconsole.processing.periods import next_tick
from dlqconsole.retries.clock import database_now


def periodic_rows() -> list[dict[str, Any]]:
    """Return the periodic handlers that a person sees, each with its last tick and its next."""
    now, access = database_now(), current_access()
    rows = [row for row in last_ticks() if access.sees(row["queue"], row["event_type"])]
    for row in rows:
        row["next"] = next_tick(Period(row["cron"], row["timezone"], row["queue"]), row["tick"])
        row["is_late"] = row["next"] < now
        row["queue_url"] = reverse("dlq:queue", args=[row["queue"]])
    return rows
