"""The schedule's pace of each failure group, for the schedule's page: the slowed ones first."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.core.flow.judging import latency_words, rate_words
from dlqconsole.engine.counts.paces import GroupPace, rule_words, visible_paces

SHOWN = 12
OFF = "Switched off (DLQ_PACE_ENABLED): nothing is slowed by what comes back."


def pace_rows() -> dict[str, Any]:
    """``rows``, the number of ``more`` that are not shown, and the ``rule``."""
    mine = visible_paces()
    number_slowed = sum(each.rate is not None for each in mine)
    rows = mine[: max(SHOWN, number_slowed)]
    return {
        "rows": [_row(each) for each in rows],
        "slowed": number_slowed,
        "more": len(mine) - len(rows),
        "rule": rule_words() if settings.DLQ_PACE_ENABLED else OFF,
    }


def _row(each: GroupPace) -> dict[str, Any]:
    return {
        "name": each.name,
        "url": reverse("dlq:group", args=[each.group_id])
        if each.group_id
        else list_url(urlencode({"type": each.event_type})),
        "rate": "" if each.rate is None else rate_words(each.rate),
        "bounds": f"{rate_words(each.floor)} to {rate_words(each.ceiling)}",
        "since": each.slowed_at,
        "why": each.why if each.rate is not None else "",
        "share": "" if each.share is None else f"{each.share:.0%}".replace("%", " %"),
        "latency": "" if each.recent_seconds is None else latency_words(each.recent_seconds),
        "usual": "" if each.baseline_seconds is None else latency_words(each.baseline_seconds),
        "noted_at": each.noted_at,
    }
