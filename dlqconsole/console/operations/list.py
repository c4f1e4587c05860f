"""The list of operations: its rows, and those that wait for the person's approval."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.urls import reverse

from dlqconsole.console.parts.tables import operation_rows
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import pgettext_lazy
from dlqconsole.operations import visibility
from dlqconsole.operations.models import OPEN, Operation, Status
from dlqconsole.operations.outcomes import handed_over
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.roles import changers, could_change, periods

_TABS = (
    ("", _("All")),
    ("open", pgettext_lazy("operation", "Open")),
    ("awaiting", _("Waiting for approval")),
    ("done", _("Done")),
)
_MOST_WAITING = 20
_MOST_LOOKED_AT = 200


def operations_page(tab: str, before: int | None, size: int, approver: str) -> dict[str, Any]:
    """One page of the list, newest first; operations that ``approver`` could approve stand above it."""
    status = tab if tab in dict(_TABS) else ""
    rows = _rows_of(status)
    if before:
        rows = rows.filter(pk__lt=before)
    page_rows = list(rows[: size + 1])
    last = page_rows[size - 1].pk if len(page_rows) > size else None
    return {
        "operations": operation_rows(page_rows[:size]),
        "waiting": operation_rows(_waiting_for(approver)) if approver else [],
        "tabs": [{"label": label, "url": _url(name), "current": name == status} for name, label in _TABS],
        "status": status,
        "next_url": _url(status, last) if last else "",
    }


def _rows_of(status: str) -> QuerySet[Operation]:
    rows = visibility.operations().order_by("-id")
    if status == "open":
        return rows.filter(Q(status__in=OPEN) | Q(pk__in=_handed_over(rows)))
    if status == "awaiting":
        return rows.filter(status=Status.AWAITING)
    if status == "done":
        return rows.exclude(status__in=OPEN).exclude(pk__in=_handed_over(rows))
    return rows


def _handed_over(rows: QuerySet[Operation]) -> QuerySet[Operation, Any]:
    return handed_over(rows.order_by()).values("pk")


def _waiting_for(approver: str) -> list[Operation]:
    """Others' requests that this person may approve; their own only if nobody else could approve it."""
    waiting = visibility.whole().filter(status=Status.AWAITING)
    rows = list(waiting.order_by("id")[:_MOST_LOOKED_AT])
    if not rows:
        return []
    terms, alone = periods(account_of(approver) or 0), changers() < 2
    mine = [row for row in rows if (alone if _is_own(row, approver) else could_change(terms, row.created_at))]
    return mine[:_MOST_WAITING]


def _is_own(row: Operation, person: str) -> bool:
    return answers_for(row.actor) == person


def _url(status: str, before: int | None = None) -> str:
    values = {name: value for name, value in (("status", status), ("before", before)) if value}
    return reverse("dlq:operations") + (f"?{urlencode(values)}" if values else "")
