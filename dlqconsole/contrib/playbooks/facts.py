"""A playbook in words: on its page, for a terminal, and in the audit log."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.words import shown_words

UNREADABLE = "a filter that nobody understands any more"
NOT_A_RULE = "Its rule cannot be understood any more: change it, or delete it."
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
        "tells the owner": "yes" if row.tells_owner else "no",
    }


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
    hour = f"{row.per_hour:,} an hour, " if row.per_hour is not None else ""
    s = "" if row.operations_per_day == 1 else "s"
    return f"at most {hour}{row.per_day:,} a day, in {row.operations_per_day:,} operation{s}"


def waits_for(row: Playbook) -> str:
    """The reason why it is due; else what it waits for."""
    if row.due_at:
        return row.due_why
    try:
        return triggers.get(row.trigger).not_yet(row)
    except CANNOT_READ:
        return NOT_A_RULE
