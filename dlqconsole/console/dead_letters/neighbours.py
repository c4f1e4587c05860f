"""The dead letters before and after one, within the filter of the list."""

from django.db.models import QuerySet
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.excerpts import Position, newer_than, older_than
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter


def neighbours(letter: DeadLetter, search: ShownFilter) -> dict[str, str]:
    """``next_url`` (older) and ``prev_url`` (newer); empty at the ends, or if the query takes too long."""
    here = Position(letter.created_at, letter.pk)
    rows = search.queryset()
    return {
        "next_url": _url(older_than(rows, here), search),
        "prev_url": _url(newer_than(rows, here), search),
    }


def _url(rows: QuerySet[DeadLetter], search: ShownFilter) -> str:
    try:
        with summaries.time_budget(summaries.BUDGET):
            letter_id = rows.values_list("pk", flat=True).first()
    except summaries.TooSlow:
        return ""
    query = f"?{search.querystring}" if search.querystring else ""
    return Shown(reverse("dead_letter", args=[letter_id]) + query) if letter_id else ""
