"""The schedule's pace of each failure group, as the schedules' page shows it: what is slowed first."""

from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.pacing import GroupPace, paces, rule_words
from dlqconsole.processing.pacing.words import latency_words, rate_words

SHOWN = 12
OFF = "Switched off (DLQ_PACE_ENABLED): nothing is slowed by what comes back."


def pace_rows(seen: Callable[[Collection[str]], Collection[str]]) -> dict[str, Any]:
    """``rows``, how many ``more`` are not shown, and the ``rule``.

    ``seen``: which of some types somebody sees.
    """
    found = paces()
    names = set(seen([each.event_type for each in found]))
    mine = [each for each in found if each.event_type in names]
    slowed = sum(each.rate is not None for each in mine)
    shown = mine[: max(SHOWN, slowed)]
    return {
        "rows": [_row(each) for each in shown],
        "slowed": slowed,
        "more": len(mine) - len(shown),
        "rule": rule_words() if settings.DLQ_PACE_ENABLED else OFF,
    }


def _row(each: GroupPace) -> dict[str, Any]:
    return {
        "name": each.name,
        "url": reverse("group", args=[each.group_id])
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
