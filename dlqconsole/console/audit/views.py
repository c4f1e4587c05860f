"""The audit log: each change, its person, time and reason."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.audit.words import sentence
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import DaysForm
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import AuditEntry
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import visibility
from dlqconsole.people.models import AccountName
from dlqconsole.people.names import named
from dlqconsole.processing.inputs.fields import Choice, Text
from dlqconsole.processing.inputs.numbers import as_id

SIZE = 100
LIMIT = 5_000  # milliseconds that looking for entries may take
_PAGES = {"dead_letter": "dead_letter", "operation": "operation"}
LONGEST = 200
# the choices, each with the nouns of its entries
_SUBJECTS = {
    "account": (gettext_lazy("Accounts and roles"), ("account", "role", "table")),
    "operation": (gettext_lazy("Operations"), ("operation",)),
    "dead_letter": (gettext_lazy("Dead letters and messages"), ("dead_letter", "dead_letters", "message")),
    "queue": (gettext_lazy("Queues and archives"), ("queue", "archive")),
    "group": (gettext_lazy("Groups and rules"), ("group", "rule", "owner_rule")),
    "schedule": (gettext_lazy("Schedule and policies"), ("retry_policy", "schedule")),
}


@viewer_required
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """The newest entries that match the filter, and older ones by pages."""
    form = AuditForm(request.GET)
    entries = visibility.audit_entries().order_by("-id")
    if before := as_id(request.GET.get("before", "")):
        entries = entries.filter(pk__lt=before)
    if operation := as_id(request.GET.get("operation", "")):
        entries = entries.filter(operation_id=operation)
    rows, too_slow = _read(form.choose(entries))
    criteria = form.criteria | ({"operation": operation} if operation else {})
    context = {
        "form": form,
        "entries": _describe_all(rows[:SIZE]),
        "is_chosen": bool(criteria),
        "too_slow": too_slow,
        "feature_cards": cards("audit", request),
        "next_url": _next_url(rows, criteria),
    }
    return page(request, "console/audit/list.html", context, part="console/audit/table.html")


def _read(entries: QuerySet[AuditEntry]) -> tuple[list[AuditEntry], bool]:
    """A page of entries and one more; and whether the search took too long."""
    try:
        with summaries.time_budget(LIMIT):
            return list(entries[: SIZE + 1]), False
    except summaries.TooSlow:
        return [], True


def _describe_all(rows: list[AuditEntry]) -> list[AuditEntry]:
    """Set the words of each entry, and the address of its subject if that has a page."""
    for row in rows:
        _describe(row)
    return rows


def _describe(row: Any) -> None:
    noun, _colon, key = row.target.partition(":")
    is_page = noun in _PAGES and as_id(key) is not None
    row.target_url = reverse(f"dlq:{_PAGES[noun]}", args=[int(key)]) if is_page else ""
    if noun == "queue" and key:
        row.target_url = reverse("dlq:queue", args=[key])
    row.noun = f"{noun} {key}".replace("_", " ").strip()
    if noun == "account" and as_id(key) is not None:
        row.noun = f"account {named(f'user:{key}')}"
    row.is_operation = noun == "operation"
    row.words = sentence(row)


def _next_url(rows: list[AuditEntry], criteria: dict[str, Any]) -> str:
    if len(rows) <= SIZE:
        return ""
    return f"{reverse('dlq:audit')}?{urlencode(criteria | {'before': rows[SIZE - 1].pk})}"


def _subjects() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The console's own, and those of the features."""
    brought = {each.name: each.audit_subject for each in features() if each.audit_subject}
    return _SUBJECTS | brought


def _choices() -> list[tuple[str, str]]:
    return [(name, words) for name, (words, _nouns) in _subjects().items()]


class AuditForm(DaysForm):
    """The filter's fields, all of them optional."""

    ids = "a"
    field_order = ("who", "subject", "since", "until")

    who = TypedField(Text(what=gettext_lazy("Who"), label=gettext_lazy("Who"), limit=LONGEST), required=False)
    subject = TypedField(
        Choice(
            what=gettext_lazy("The subject"),
            label=gettext_lazy("About"),
            choices=_choices(),
            empty=gettext_lazy("everything"),
        ),
        required=False,
    )

    def __init__(self, parameters: QueryDict) -> None:
        super().__init__(parameters.dict())
        self.fields["who"].widget.attrs |= {"data-search": True}

    @property
    def criteria(self) -> dict[str, Any]:
        """The valid values of the filter, by name."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def choose(self, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """The entries that match the filter."""
        criteria = self.criteria
        if who := criteria.get("who"):
            entries = entries.filter(actor__in=_actors(who))
        if subject := criteria.get("subject"):
            nouns = _subjects()[subject][1]
            about = Q(target__in=nouns)
            for noun in nouns:
                about |= Q(target__startswith=f"{noun}:")
            entries = entries.filter(about)
        if since := criteria.get("since"):
            entries = entries.filter(at__gte=_midnight(since))
        if until := criteria.get("until"):
            entries = entries.filter(at__lt=_midnight(until) + timedelta(days=1))
        return entries


def _actors(who: str) -> list[str]:
    """An actor as it is stored, and everybody who has or had this name."""
    bearers = AccountName.objects.filter(name__iexact=who).values_list("user_id", flat=True).distinct()
    return [who, *(f"user:{user_id}" for user_id in bearers)]


def _midnight(day: Any) -> datetime:
    return datetime.combine(day, time(), UTC)
