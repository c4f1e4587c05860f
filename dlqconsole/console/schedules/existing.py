"""Checks that a policy's subject exists: a mistyped name must not look as if it worked."""

from dlqconsole.core.handling import registry
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.processing.errors import SetupError
from dlqconsole.retries.policies import PolicyScope
from dlqconsole.retries.policies.checks import InvalidPolicy


def check_group_exists(whose: PolicyScope) -> None:
    """Raise InvalidPolicy for a failure group that does not exist."""
    if whose.group_id is not None and not FailureGroup.objects.filter(pk=whose.group_id).exists():
        raise InvalidPolicy([("group", f"There is no failure group {whose.group_id}.")])


def unknown_type_warning(whose: PolicyScope) -> str:
    """A sentence about an event type that nobody has seen yet: one may be paused before it comes."""
    kind = whose.event_type
    if kind is None or DeadLetter.objects.filter(event_type=kind).exists() or _has_handler(kind):
        return ""
    return f" No dead letter is of the type {kind}, and no handler here: is it spelled so?"


def _has_handler(event_type: str) -> bool:
    try:
        return event_type in registry().event_types
    except SetupError:
        return False
