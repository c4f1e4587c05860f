"""The hand-over of a shift: what burns, who has what, what is held, what was done."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.breakers import visible_breakers
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import group_rows
from dlqconsole.core.lifecycle.states import REVIVABLE
from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.models import FailureGroup, Queue
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import visibility
from dlqconsole.operations.models import OPEN
from dlqconsole.operations.outcomes import in_words
from dlqconsole.people.names import named
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.keeping import scope_of
from dlqconsole.retries.policies.scopes import seen
from dlqconsole.triage.claims import claims

# the most lines of a section
MOST = 20
SHIFTS = {"8h": 8, "12h": 12, "24h": 24, "72h": 72}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to hand over: its words, and the address of its page."""

    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Section:
    """Things of one sort; ``nothing``: the sentence if there are none."""

    title: str
    nothing: str
    lines: list[Line]


@viewer_required
@require_safe
def handover(request: HttpRequest) -> HttpResponse:
    """The page; ``?since=``: the length of the shift."""
    shift = request.GET.get("since", "")
    shift = shift if shift in SHIFTS else "8h"
    since = database_now() - timedelta(hours=SHIFTS[shift])
    context = {
        "sections": digest(since),
        "since": since,
        "shifts": [
            {"name": name, "hours": hours, "current": name == shift} for name, hours in SHIFTS.items()
        ],
    }
    return page(request, "console/handover.html", context)


def digest(since: datetime) -> list[Section]:
    """Return what the next person has to know, and what was done since then."""
    burning = [row for row in group_rows(group_figures.burning(MOST)) if _waiting(row)]
    noted = _noted([row["id"] for row in burning])
    return [
        Section(
            _("Burning now"), _("Nothing that failed in the last day still waits."), [*_burning(burning)]
        ),
        Section(_("Claims"), _("Nobody works on a group now."), [*_claimed(noted)]),
        Section(_("Notes"), _("There is no note on a group that burns."), [*_notes(noted)]),
        Section(_("Held"), _("No breaker, schedule or queue is held."), [*_held()]),
        Section(_("Operations"), _("No operation since then, and none is open."), [*_operations(since)]),
    ]


def _waiting(group: dict[str, Any]) -> int:
    """The number of its dead letters that wait for the schedule, or for a person."""
    return sum(group["by_status"].get(status, 0) for status in REVIVABLE)


def _burning(rows: list[dict[str, Any]]) -> Iterator[Line]:
    for row in rows:
        owner = _(", owned by {owner}").format(owner=row["owner"]) if row["owner"] else ""
        yield Line(
            _("{title}: {recent:,} in 24 h, {waiting:,} wait{owner}").format(
                title=row["title"], recent=row["recent"], waiting=_waiting(row), owner=owner
            ),
            row["url"],
        )


def _noted(burning: list[int]) -> list[FailureGroup]:
    """The visible groups that somebody works on, and those that burn and have a note or ticket."""
    written = Q(pk__in=burning) & (~Q(note="") | ~Q(ticket=""))
    rows = FailureGroup.objects.filter(written | Q(claimed_until__gt=database_now())).order_by("pk")
    return [row for row in rows[: 2 * MOST] if group_figures.visibility(row.pk)[0]]


def _claimed(groups: list[FailureGroup]) -> Iterator[Line]:
    there = claims([group.pk for group in groups])
    for group in groups:
        if claim := there.get(group.pk):
            words = _("{actor} works on {group} until {until:%H:%M} UTC").format(
                actor=named(claim.actor), group=_title(group), until=claim.until
            )
            yield Line(words, _address(group))


def _notes(groups: list[FailureGroup]) -> Iterator[Line]:
    for group in groups:
        written = [text for text in (group.note, group.ticket) if text]
        if written and group_figures.visibility(group.pk)[1]:
            yield Line(f"{_title(group)}: {' · '.join(written)}", _address(group))


def _held() -> Iterator[Line]:
    schedules = reverse("dlq:schedules")
    for state in visible_breakers():
        yield Line(f"{state.name}: {named(breakers.why(state))}", schedules)
    for policy in RetryPolicy.objects.filter(paused_at__isnull=False).order_by("paused_at")[:MOST]:
        scope, end = scope_of(policy), policy.paused_until
        some, whole = seen(scope)
        if some and not (end and end <= database_now()):
            until = _(" until {end:%Y-%m-%d %H:%M} UTC").format(end=end) if end else ""
            because = (
                _(", because {paused_reason}").format(paused_reason=policy.paused_reason) if whole else ""
            )
            by = _("by {paused_by}{because}").format(paused_by=named(policy.paused_by), because=because)
            yield Line(
                _("The schedule of {words} is paused{until} {by}").format(
                    words=translated(scope.words()), until=until, by=by
                ),
                schedules,
            )
    for name in Queue.objects.filter(paused=True).order_by("name").values_list("name", flat=True)[:MOST]:
        if current_access().sees_queue(name):
            yield Line(_("The queue {name} is paused").format(name=name), reverse("dlq:queue", args=[name]))


def _operations(since: datetime) -> Iterator[Line]:
    rows = visibility.operations().filter(Q(status__in=OPEN) | Q(created_at__gte=since)).order_by("-id")
    for row in visibility.with_visible_numbers(rows[:MOST]):
        words = _("{kind} {pk}, {word}, by {actor} because {reason}: {figures}").format(
            kind=row.kind,
            pk=row.pk,
            word=row.word,
            actor=named(row.actor),
            reason=row.reason,
            figures=in_words(row),
        )
        yield Line(words, reverse("dlq:operation", args=[row.pk]))


def _title(group: FailureGroup) -> str:
    title = group_figures.titles([group.pk]).get(group.pk, "")
    return masked_texts().text(title) or _("group {pk}").format(pk=group.pk)


def _address(group: FailureGroup) -> str:
    return reverse("dlq:group", args=[group.pk])
