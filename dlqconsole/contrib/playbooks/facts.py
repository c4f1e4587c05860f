"""A playbook in words: on its page, for a terminal, and in the audit log."""

from collections.abc import Mapping
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.words import shown_words

UNREADABLE = gettext_lazy("a filter that nobody understands any more")
NOT_A_RULE = gettext_lazy("Its rule cannot be understood any more: change it, or delete it.")
# the errors of a row that was not written by this program
CANNOT_READ = (OperationRefused, InvalidFilter, LookupError, TypeError, ValueError, AttributeError)


def describe(row: Playbook) -> dict[str, str]:
    """The settings that people chose for it, a sentence each."""
    return {
        "name": row.name,
        "when": when(row),
        "does": does(row),
        "to": to(row.filter),
        "budget": budget_words(row),
        "tells the owner": _("yes") if row.tells_owner else _("no"),
    }


def kept_words(row: Playbook) -> dict[str, str]:
    """The same for the audit log: English, whoever changes it."""
    with translation.override("en"):
        return describe(row)


def when(row: Playbook) -> str:
    try:
        return triggers.get(row.trigger).words(row.trigger_options)
    except CANNOT_READ:
        return row.trigger


def does(row: Playbook) -> str:
    kind = kinds.shown(row.kind)
    return ", ".join([kind.title.lower(), *shown_words(kind, row.options)])


def to(canonical: Mapping[str, Any]) -> str:
    try:
        return DeadLetterFilter.from_canonical(canonical).words()
    except CANNOT_READ:
        return UNREADABLE


def budget_words(row: Playbook) -> str:
    hour = _("{number:,} an hour, ").format(number=row.per_hour) if row.per_hour is not None else ""
    return ngettext(
        "at most {hour}{day:,} a day, in {number:,} operation",
        "at most {hour}{day:,} a day, in {number:,} operations",
        row.operations_per_day,
    ).format(hour=hour, day=row.per_day, number=row.operations_per_day)


def waits_for(row: Playbook) -> str:
    """The reason why it is due; else what it waits for."""
    if row.due_at:
        return row.due_why
    try:
        return triggers.get(row.trigger).not_yet(row)
    except CANNOT_READ:
        return NOT_A_RULE
