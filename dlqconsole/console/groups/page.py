"""What a group's page shows: its story, its figures, what can be done, what was done."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.access.permissions import can_operate
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.groups.forms import ticket_url
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.changes import change_rows
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.console.parts.tables import hour_rows
from dlqconsole.console.playbooks.page import lines
from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import rollups, summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.groups import classification
from dlqconsole.engine.known_handlers import Known
from dlqconsole.engine.lifecycle.states import RETRIABLE, DeadLetterStatus
from dlqconsole.engine.models import FailureGroup, GroupMerge
from dlqconsole.engine.reach import Reach
from dlqconsole.insight import drift
from dlqconsole.operations import offers, past_actions

# so many event types without a handler are told one by one
NAMED_TYPES = 5

type Row = dict[str, Any]


def group_context(request: HttpRequest, known: FailureGroup, figures: Row) -> Row:
    """Everything but what somebody just typed."""
    reach = reach_of(request)
    if not figures["is_whole"]:
        _leave_out_the_rest(known, figures)
    week = group_figures.week(known.pk, reach)
    masked = masked_texts()
    title = masked.text(figures["title"].strip())
    return {
        "group": figures | {"title": title or "no reason given"},
        "known": known,
        "ticket_url": ticket_url(known.ticket),
        "statuses": _statuses(known.pk, figures["by_status"]),
        "hourly": hour_rows(week[-summaries.DAY :]),
        "days": _days(week),
        "affected": _affected(known.pk, reach),
        "letters": _letters(known.pk, reach),
        "changes": _changes(figures),
        **_handled(known.pk, can_operate(request), reach),
        "grouping": masked.parts(classification.explain_group(known.pk, reach, is_whole=figures["is_whole"])),
        "playbooks": lines(reach, group_id=known.pk),
        "playbook_filter": urlencode({"group": known.pk}),
        "past": past_actions.past_actions(known.pk, reach),
        "merged_into": _merged_into(known.pk) if figures["is_whole"] else None,
        "list_url": list_url(f"group={known.pk}"),
        "bulk_action_url": reverse("operation_confirm"),
    }


def _leave_out_the_rest(known: FailureGroup, figures: Row) -> None:
    """What people wrote and counted of a group speaks of what is not seen of it, too."""
    known.note, known.ticket, figures["over"] = "", "", ""
    known.snoozed_to_occurrences, known.snoozed_below_rate = None, None


def _merged_into(group_id: int) -> int | None:
    """The group that this one was merged into."""
    merges = GroupMerge.objects.filter(pk=group_id).exclude(group_id=group_id)
    return merges.values_list("group_id", flat=True).first()


def _statuses(group_id: int, by_status: dict[str, int]) -> list[Row]:
    return [
        {
            "status": status,
            "label": DeadLetterStatus(status).label,
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
    days = sorted(counts)[-7:]  # of the eighth only the evening is known
    most = max(counts[day] for day in days)
    return [
        {"start": day, "count": counts[day], "height": counts[day] * 100 / most if most else 0}
        for day in days
    ]


def _affected(group_id: int, reach: Reach) -> list[Row]:
    rows = group_figures.affected(group_id, reach)
    for row in rows:
        query = urlencode({"group": group_id, "source": row["name"]})
        row["url"] = "" if row["is_key"] else list_url(query)
    return rows


def _changes(figures: Row) -> list[Row]:
    """What had changed in its event type's payloads when it began."""
    if not figures["is_whole"] or figures["first_seen"] is None:
        return []
    return change_rows(drift.shortly_before(figures["event_type"], figures["first_seen"]))


def _letters(group_id: int, reach: Reach) -> list[Row]:
    masked = masked_texts()
    return [
        letter
        | {
            "url": reverse("dead_letter", args=[letter["id"]]) + f"?group={group_id}",
            "error_reason": masked.beginning_of(letter["error_reason"], 400),
        }
        for letter in group_figures.newest(group_id, reach)
    ]


def _handled(group_id: int, may_operate: bool, reach: Reach) -> Row:
    """What can be done with it, and which of its event types nobody handles."""
    known = known_handlers.for_retries()
    handled = None if known is None else known.event_types
    lacking = [] if handled is None else _unhandled(group_id, handled, reach)
    return {"unhandled": lacking, "actions": _actions(group_id, known, reach) if may_operate else []}


def _unhandled(group_id: int, handled: Collection[str], reach: Reach) -> list[Row]:
    """The event types without a handler, and how many dead letters of each wait for one."""
    types = rollups.unhandled_types(DeadLetterFilter(group=group_id), reach, handled, RETRIABLE, NAMED_TYPES)
    return [{"event_type": name, "count": number} for name, number in types.items()]


def _actions(group_id: int, known: Known | None, reach: Reach) -> list[Row]:
    """The operations that have something to do, each over the narrowest filter that holds all of it."""
    found, matching = [], DeadLetterFilter(group=group_id)
    counts = summaries.status_counts(matching, reach, known=known)
    for offer in offers.on_group(counts):
        chosen = {"group": group_id} | ({"status": offer.states[0]} if len(offer.states) == 1 else {})
        found.append(
            {
                "kind": offer.kind,
                "count": offer.count,
                "why_not": offer.why_not,
                "left": offer.for_people,
                "filter": urlencode(chosen),
            }
        )
    return found
