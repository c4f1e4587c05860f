"""Export of the audit log: the entries that its page's filter matches, masked as the page masks them."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any

from django.db.models import Max, Q, QuerySet
from django.utils import translation

from dlqconsole.engine.gate import is_masking, shown
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import visibility
from dlqconsole.operations.kinds.export import FORMAT, Export
from dlqconsole.operations.options import Option
from dlqconsole.operations.pages.export_rows import masked, moment
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.sql import sql
from dlqconsole.people.models import AccountName
from dlqconsole.people.names import named
from dlqconsole.processing.formats.base import Column, Row, Sort
from dlqconsole.processing.inputs.fields import Switch, Text, WholeNumber
from dlqconsole.processing.inputs.times import read_day

LONGEST = 200
COLUMNS = (
    Column("id", Sort.INTEGER),
    Column("at", Sort.MOMENT),
    Column("actor"),
    Column("who"),
    Column("action"),
    Column("target"),
    Column("operation_id", Sort.INTEGER),
    Column("reason"),
    Column("detail", Sort.JSON),
)
_ACTOR, _WHO = 2, 3
# what entries are about, each with the nouns of their targets
_SUBJECTS = {
    "account": (gettext_lazy("Accounts and roles"), ("account", "role", "table")),
    "operation": (gettext_lazy("Operations"), ("operation",)),
    "dead_letter": (gettext_lazy("Dead letters and messages"), ("dead_letter", "dead_letters", "message")),
    "queue": (gettext_lazy("Queues and archives"), ("queue", "archive")),
    "group": (gettext_lazy("Groups and rules"), ("group", "rule", "owner_rule")),
    "schedule": (gettext_lazy("Schedule and policies"), ("retry_policy", "schedule")),
}


def subjects() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The console's own, and those of the features."""
    brought = {each.name: each.audit_subject for each in features() if each.audit_subject}
    return _SUBJECTS | brought


def chosen(entries: QuerySet[AuditEntry], criteria: Mapping[str, Any]) -> QuerySet[AuditEntry]:
    """The entries that match the given ``who``, ``subject``, ``since``, ``until`` and ``operation``."""
    if who := criteria.get("who"):
        entries = entries.filter(actor__in=_actors(who))
    if subject := criteria.get("subject"):
        # a feature that is gone has no entries
        nouns = subjects().get(subject, ("", ()))[1]
        about = Q(target__in=nouns)
        for noun in nouns:
            about |= Q(target__startswith=f"{noun}:")
        entries = entries.filter(about)
    if since := criteria.get("since"):
        entries = entries.filter(at__gte=_midnight(since))
    if until := criteria.get("until"):
        entries = entries.filter(at__lt=_midnight(until) + timedelta(days=1))
    if operation := criteria.get("operation"):
        entries = entries.filter(operation_id=operation)
    return entries


def _actors(who: str) -> list[str]:
    """An actor as it is stored, and everybody who has or had this name."""
    bearers = AccountName.objects.filter(name__iexact=who).values_list("user_id", flat=True).distinct()
    return [who, *(f"user:{user_id}" for user_id in bearers)]


def _midnight(day: date | str) -> datetime:
    return datetime.combine(date.fromisoformat(str(day)), time(), UTC)


def newest_entry() -> int:
    """The number of the newest entry; 0: there is none."""
    newest: int = AuditEntry.objects.aggregate(newest=Max("pk"))["newest"] or 0
    return newest


def entries_words(criteria: Mapping[str, Any] | None) -> str:
    """``audit entries of ann about Operations from 2026-11-01``: English, as the operation keeps it."""
    given = criteria or {}
    words = {
        "who": f"of {named(given.get('who') or '')}",
        "subject": f"about {_subject(given.get('subject') or '')}",
        "since": f"from {given.get('since')}",
        "until": f"to {given.get('until')}",
        "operation": f"of operation {given.get('operation')}",
    }
    return " ".join(["audit entries", *(words[name] for name in words if given.get(name))])


def _subject(name: str) -> str:
    with translation.override("en"):
        return str(subjects().get(name, (name,))[0])


def _day(text: str) -> str:
    return str(read_day(text, "A day")) if text else ""


ENTRIES = Option(
    field=Switch(
        name="entries", label=gettext_lazy("Of the audit log"), help=gettext_lazy("only some entries")
    ),
    parts=(
        Text(name="who", what=gettext_lazy("Who"), limit=LONGEST, is_required=False),
        Text(name="subject", what=gettext_lazy("The subject"), limit=40, is_required=False),
        Text(name="since", what=gettext_lazy("The first day"), limit=10, rule=_day, is_required=False),
        Text(name="until", what=gettext_lazy("The last day"), limit=10, rule=_day, is_required=False),
        WholeNumber(name="operation", what=gettext_lazy("The operation"), is_required=False),
    ),
    by_rule=False,
    words=entries_words,
)


class ExportAudit(Export):
    name = "export_audit"
    label = gettext_lazy("Export of the audit log")
    brief = gettext_lazy("write entries of the audit log to a file that waits on the receipt")
    explains = gettext_lazy("The entries are written to a file that waits on the receipt. Nothing changes.")
    does = gettext_lazy("writes entries of the audit log to a file, personal data masked")

    options = (FORMAT, ENTRIES)
    # on the page of the audit log only, and for everybody who may read that
    asked_for = in_admin = False
    first_on = more_on = ()
    file_role = "viewer"

    def sheet(self, options: Mapping[str, Any], rows: QuerySet[DeadLetter], cutoff: int) -> Sheet:
        entries = chosen(visibility.audit_entries().filter(pk__lte=cutoff), options.get("entries") or {})
        matching, values = entries.order_by().values("pk").query.sql_with_params()
        columns = {column.name: f"d.{column.name}" for column in COLUMNS}
        columns |= {"at": moment("at"), "who": "d.actor", "detail": "d.detail::text"}
        listed = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
        query = sql("exporting.entries").format(columns=listed, matching=matching)
        return Sheet("Audit log", "audit entry", COLUMNS, query, values, _row_maker())

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        return False


def _row_maker() -> Callable[[Row], Row]:
    """Return a function from an entry to what its page would show of it."""
    mask = masked(COLUMNS) if is_masking() else list
    name = cache(lambda actor: named(shown(actor)))

    def made(row: Row) -> Row:
        values = [*mask(row)]
        values[_WHO] = name(row[_ACTOR])
        return values

    return made
