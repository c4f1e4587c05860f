"""The card of first dominoes on a group's page."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.contrib.insight import joining
from dlqconsole.contrib.insight.dominoes import Dominoes, dominoes
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.engine.models import FailureGroup

type Row = dict[str, Any]


@viewer_required
@require_safe
def first_dominoes(request: HttpRequest, group_id: int) -> HttpResponse:
    """The groups that fail with the same ids, for the group's page or as a page of its own."""
    if not FailureGroup.objects.filter(pk=group_id).exists():
        raise Http404(_("There is no group {group_id}.").format(group_id=group_id))
    context = {"group_id": group_id, "most": joining.MOST} | _card(group_id)
    return page(request, "insight/dominoes.html", context, part="insight/dominoes_card.html")


def _card(group_id: int) -> Row:
    """The dominoes and their rows; none where that took too long."""
    try:
        chain = dominoes(group_id)
    except TooSlow:
        return {"chain": None}
    names = group_figures.identities(row["id"] for row in [*chain.upstream, *chain.downstream])
    upstream = _rows(chain, chain.upstream, "before", names)
    downstream = _rows(chain, chain.downstream, "after", names)
    return {
        "chain": chain,
        "upstream": [row | {"rest_url": _rest_url(row["id"], group_id)} for row in upstream],
        "downstream": [row | {"rest_url": _rest_url(group_id, row["id"])} for row in downstream],
    }


def _rows(chain: Dominoes, rows: Iterable[Row], way: str, names: Mapping[int, Row]) -> list[Row]:
    """Rows with their titles and the share of the sample that they fail with."""
    return [
        row
        | {"title": names[row["id"]]["title"], "event_type": names[row["id"]]["event_type"]}
        | {"with": row[way], "share": f"{max(1, round(row[way] * 100 / chain.sampled))} %"}
        for row in rows
    ]


def _rest_url(first: int, then: int) -> str:
    """The list of what is open in one group though what failed before it in another succeeded."""
    return list_url(urlencode({"group": then, "rest_of": first}))
