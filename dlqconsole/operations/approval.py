"""Four eyes: the operations that one person may not do alone.

Above ``DLQ_FOUR_EYES_ABOVE`` items, to purge, and to export personal data unmasked, a second person approves
exactly the frozen selection. Where only one person is configured, they type the count instead. In both cases
the person who requests it is proven: signed in, or with a personal token of their own.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dlqconsole.operations.kinds.base import Kind
from dlqconsole.people.roles import changers

NONE, TYPED, SECOND = "none", "typed", "second"
NOBODY_NEEDED = 2**31 - 1


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
    return f"A second person has to approve: {kind.why_approval(options)}."
