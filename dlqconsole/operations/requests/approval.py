"""Four eyes: the operations that one person may not do alone.

Above ``DLQ_FOUR_EYES_ABOVE`` items, to purge, and to export personal data unmasked, a second person approves
exactly the frozen selection. Where only one person is configured, they type the count instead. In both cases
the person who requests it is proven: signed in, or with a personal token of their own. Approvers are persons
who had the right without a break since before the request.

A person who can set the environment of a process could change a threshold unnoticed. So a process that sees
another value than the last one in the audit log notes it there, once, before it uses the value.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.configuration.settings import Settings
from dlqconsole.core.owners import owner_name
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.roles import changers, could_change, periods

NONE, TYPED, SECOND = "none", "typed", "second"
NOBODY_NEEDED = 2**31 - 1
THRESHOLDS = ("DLQ_FOUR_EYES_ABOVE", "DLQ_APPROVAL_SECONDS")
ACTOR, ACTION = "settings", "set"
_last_values: dict[str, int] = {}


def rule(kind: Kind, options: Mapping[str, Any], item_count: int) -> str:
    """Return ``none``, ``typed`` (the person types the count), or ``second`` (a second person approves)."""
    if not (kind.is_grave(options) or item_count > limit(kind, options)):
        return NONE
    return SECOND if changers() > 1 else TYPED


def limit(kind: Kind, options: Mapping[str, Any]) -> int:
    """The number of items that need no second person; one that nobody reaches where none is ever needed."""
    if kind.is_grave(options):
        return 0
    return int(settings.DLQ_FOUR_EYES_ABOVE) if kind.counts_for_approval else NOBODY_NEEDED


def sentence(kind: Kind, options: Mapping[str, Any], item_count: int) -> str:
    """The sentence that a second person has to approve it; empty when none has to."""
    if rule(kind, options, item_count) != SECOND:
        return ""
    return _("A second person has to approve: {options}.").format(options=kind.why_approval(options))


def why_not_approve(operation: Operation, actor: str) -> str:
    """The reason why an actor cannot approve it; empty: they can; their own by typing the count."""
    account = account_of(actor)
    if account is None:
        return _("Only a person can approve: sign in, or use a personal token.")
    if answers_for(operation.actor) == actor:
        return "" if changers() < 2 else _own(operation)
    if not could_change(periods(account), operation.created_at):
        return _(
            "You have not been an operator or administrator, under one password, since before"
            " operation {pk} was asked for: somebody who has been has to approve it."
        ).format(pk=operation.pk)
    return ""


def _own(operation: Operation) -> str:
    return _("You asked for operation {pk} yourself: somebody else has to approve it.").format(
        pk=operation.pk
    )


def note_thresholds() -> None:
    """Note, in the caller's transaction, each threshold that differs from the last value in the log."""
    for name in THRESHOLDS:
        value = int(getattr(settings, name))
        if _last_values.get(name) == value:
            continue
        if (last := _last(name)) != value:
            detail = {"changes": {name: [last, value]}, "process": owner_name()}
            audit.record(ACTOR, ACTION, f"setting:{name}", detail=detail)
        _last_values[name] = value


def _last(name: str) -> int:
    entry = AuditEntry.objects.filter(target=f"setting:{name}", action=ACTION).order_by("-id").first()
    if entry is not None:
        return int(entry.detail["changes"][name][1])
    return int(Settings.model_fields[name].default)
