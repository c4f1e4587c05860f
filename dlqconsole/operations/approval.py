"""Four eyes: what one person may not do alone.

Above ``DLQ_FOUR_EYES_ABOVE`` items, to purge, and to export personal data unmasked, a second person approves
exactly the frozen selection. Where only one person is configured the count is typed instead. Either way
who asks is a person who proved it: signed in, or by a personal token of their own.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dlqconsole.operations.kinds.base import Kind
from dlqconsole.people.roles import changers

NONE, TYPED, SECOND = "none", "typed", "second"
NOBODY_NEEDED = 2**31 - 1


def rule(kind: Kind, options: Mapping[str, Any], expected: int) -> str:
    """``none``, ``typed`` (the count is typed), or ``second`` (a second person approves)."""
    if not (kind.is_grave(options) or expected > limit(kind, options)):
        return NONE
    return SECOND if changers() > 1 else TYPED


def limit(kind: Kind, options: Mapping[str, Any]) -> int:
    """So many items need no second person; a number nobody reaches where none ever does."""
    if kind.is_grave(options):
        return 0
    return int(settings.DLQ_FOUR_EYES_ABOVE) if kind.counts_for_approval else NOBODY_NEEDED


def sentence(kind: Kind, options: Mapping[str, Any], expected: int) -> str:
    """What else it needs before it is done; empty when nothing."""
    if rule(kind, options, expected) != SECOND:
        return ""
    return f"A second person has to approve: {kind.why_approval(options)}."
