"""The context of a group's page: its story, its figures, possible and past actions."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import actor, can_operate
from dlqconsole.console.groups.forms import ticket_url
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.console.parts.tables import bar_rows
from dlqconsole.core.lifecycle.states import RETRIABLE, DeadLetterStatus
from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import rollups, summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.groups import classification
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.models import FailureGroup, GroupMerge
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.kinds import offers
from dlqconsole.operations.receipts import past_actions
from dlqconsole.triage.claims import claims

# the most event types without a handler that are listed one by one
NAMED_TYPES = 5

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """A group's dead letters by status, read once: the tiles and the buttons show the same numbers.

    Read before the number of failures, which only grows.
    """

    counts: dict[str, summaries.Count]
    handlers: HandlerSet | None

    @classmethod
    def of(cls, group_id: int) -> "Standing":
        handlers = known_handlers.for_retries()
        return cls(summaries.status_counts(DeadLetterFilter(group=group_id), handlers=handlers), handlers)

    @property
    def by_status(self) -> dict[str, int]:
        return {status: count.value for status, count in self.counts.items() if count.value}


def group_context(request: HttpRequest, group: FailureGroup, standing: Standing, figures: Row) -> Row:
    """All of it, except for typed values."""
    by_status = standing.by_status
    figures |= {"by_status": by_status, "total": sum(by_status.values())}
    if not figures["is_whole"]:
        _hide_whole_group_facts(group, figures)
    week = group_figures.week(group.pk)
    hourly = bar_rows(week[-summaries.DAY :], group=group.pk)
    texts = masked_texts()
    title = texts.text(figures["title"].strip())
    return {
        "group": figures | {"title": title or _("no reason given")},
        "record": group,
        "ticket_url": ticket_url(group.ticket),
        "claim": claims([group.pk]).get(group.pk),
        "me": actor(request),
        "statuses": _statuses(group.pk, figures["by_status"]),
        "hourly": hourly,
        "chart_cards": cards("chart", request, chart=hourly, within={"group": group.pk}),
        "days": _days(week),
        "affected": _affected(group.pk),
        "letters": _letters(group.pk),
        "payload_cards": cards("group payloads", request, group_id=group.pk, figures=figures),
        **_handling(group.pk, standing, can_operate(request)),
        "grouping": texts.parts(classification.explain_group(group.pk, is_whole=figures["is_whole"])),
        "feature_cards": cards("group", request, group_id=group.pk),
        "past": past_actions.past_actions(group.pk),
        "merged_into": _merged_into(group.pk) if figures["is_whole"] else None,
        "list_url": list_url(f"group={group.pk}"),
        "bulk_action_url": reverse("dlq:operation_confirm"),
    }


def _hide_whole_group_facts(group: FailureGroup, figures: Row) -> None:
    """Remove people's notes and limits: they speak of the whole group, and only a part is visible."""
    group.note, group.ticket, figures["over"] = "", "", ""
    group.snoozed_to_occurrences, group.snoozed_below_rate = None, None


def _merged_into(group_id: int) -> int | None:
    """The group that this one was merged into."""
    merges = GroupMerge.objects.filter(pk=group_id).exclude(group_id=group_id)
    return merges.values_list("group_id", flat=True).first()


def _statuses(group_id: int, by_status: dict[str, int]) -> list[Row]:
    return [
        {
            "status": status,
            "label": translated(DeadLetterStatus(status).label),
            "count": count,
            "url": list_url(urlencode({"group": group_id, "status": status})),
        }
        for status, count in by_status.items()
    ]


def _days(week: list[Row]) -> list[Row]:
    """The last seven days, in UTC and with today, oldest first; their height in per cent of the worst."""
    counts: Counter[datetime] = Counter()
    for hour in week:
        counts[hour["start"].replace(hour=0)] += hour["count"]
    days = sorted(counts)[-7:]  # the eighth day has only its last hours
    most = max(counts[day] for day in days)
    return [
        {"start": day, "count": counts[day], "height": counts[day] * 100 / most if most else 0}
        for day in days
    ]


def _affected(group_id: int) -> list[Row]:
    rows = group_figures.affected(group_id)
    for row in rows:
        query = urlencode({"group": group_id, "source": row["name"]})
        row["url"] = "" if row["is_key"] else list_url(query)
    return rows


def _letters(group_id: int) -> list[Row]:
    texts = masked_texts()
    return [
        letter
        | {
            "url": reverse("dlq:dead_letter", args=[letter["id"]]) + f"?group={group_id}",
            "error_reason": texts.beginning_of(letter["error_reason"], 400),
        }
        for letter in group_figures.newest(group_id)
    ]


def _handling(group_id: int, standing: Standing, may_operate: bool) -> Row:
    """Its possible actions, and its event types without a handler."""
    event_types = None if standing.handlers is None else standing.handlers.event_types
    missing = [] if event_types is None else _types_without_handler(group_id, event_types)
    return {"unhandled": missing, "actions": _actions(group_id, standing.counts) if may_operate else []}


def _types_without_handler(group_id: int, names: Collection[str]) -> list[Row]:
    """The event types without a handler, each with the number of dead letters that wait for one."""
    types = rollups.unhandled_types(DeadLetterFilter(group=group_id), names, RETRIABLE, NAMED_TYPES)
    return [{"event_type": name, "count": number} for name, number in types.items()]


def _actions(group_id: int, counts: dict[str, summaries.Count]) -> list[Row]:
    """The possible operations, each over the narrowest filter that holds all of it."""
    actions = []
    for offer in offers.on_group(counts):
        parameters = {"group": group_id} | ({"status": offer.states[0]} if len(offer.states) == 1 else {})
        actions.append(
            {
                "kind": offer.kind,
                "count": offer.count,
                "why_not": offer.why_not,
                "left": offer.for_people,
                "filter": urlencode(parameters),
            }
        )
    return actions
