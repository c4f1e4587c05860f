"""The filter of the audit log."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from dlqconsole.console.parts.days_form import DaysForm
from dlqconsole.console.parts.fields import TypedField
from dlqconsole.engine.models import AuditEntry
from dlqconsole.features import features
from dlqconsole.people.models import AccountName
from dlqconsole.processing.inputs.fields import Choice, Text

LONGEST = 200
# the choices, each with the nouns of its entries
_SUBJECTS = {
    "account": ("Accounts and roles", ("account", "role", "table")),
    "operation": ("Operations", ("operation",)),
    "dead_letter": ("Dead letters and messages", ("dead_letter", "dead_letters", "message")),
    "queue": ("Queues and archives", ("queue", "archive")),
    "group": ("Groups and rules", ("group", "rule")),
    "schedule": ("Schedule and policies", ("retry_policy", "schedule")),
}


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

    who = TypedField(Text(what="Who", limit=LONGEST), required=False)
    subject = TypedField(
        Choice(what="What it is about", label="About", choices=_choices(), empty="everything"), required=False
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
