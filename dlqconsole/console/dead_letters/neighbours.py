"""The dead letters before and after one, within the filter it was found by."""

from django.db.models import QuerySet
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.excerpts import Position, newer_than, older_than
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach


def neighbours(letter: DeadLetter, shown: ShownFilter, reach: Reach) -> dict[str, str]:
    """``next_url`` (older) and ``prev_url`` (newer); empty at the ends, or where looking takes too long."""
    here = Position(letter.created_at, letter.pk)
    rows = shown.queryset(reach)
    return {
        "next_url": _url(older_than(rows, here), shown),
        "prev_url": _url(newer_than(rows, here), shown),
    }


def _url(rows: QuerySet[DeadLetter], shown: ShownFilter) -> str:
    try:
        with summaries.time_budget(summaries.BUDGET):
            found = rows.values_list("pk", flat=True).first()
    except summaries.TooSlow:
        return ""
    query = f"?{shown.querystring}" if shown.querystring else ""
    return Shown(reverse("dead_letter", args=[found]) + query) if found else ""
