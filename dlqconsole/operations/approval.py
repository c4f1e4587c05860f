"""Four eyes: what one person may not do alone.

Above ``DLQ_FOUR_EYES_ABOVE`` items, to purge, and to export personal data unmasked, a second person approves
exactly the frozen selection. Where only one person is configured the count is typed instead.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dlqconsole.operations.models import Kind
from dlqconsole.operations.people import changers

NONE, TYPED, SECOND = "none", "typed", "second"
# reading what is masked, and going back, must not wait for anybody
_ALWAYS_ALONE = (Kind.UNDO,)


def rule(kind: str, parameters: Mapping[str, Any], expected: int) -> str:
    """``none``, ``typed`` (the count is typed), or ``second`` (a second person approves)."""
    if not (is_grave(kind, parameters) or expected > limit(kind, parameters)):
        return NONE
    return SECOND if changers() > 1 else TYPED


def is_grave(kind: str, parameters: Mapping[str, Any]) -> bool:
    """Whether it needs four eyes however few items it has."""
    return kind == Kind.PURGE or is_unmasked(kind, parameters)


def is_unmasked(kind: str, parameters: Mapping[str, Any]) -> bool:
    return kind == Kind.EXPORT and not parameters.get("masked", True)


def limit(kind: str, parameters: Mapping[str, Any]) -> int:
    """So many items need no second person; a number nobody reaches where none ever does."""
    if is_grave(kind, parameters):
        return 0
    if kind in _ALWAYS_ALONE or kind == Kind.EXPORT:
        return 2**31 - 1
    return int(settings.DLQ_FOUR_EYES_ABOVE)
