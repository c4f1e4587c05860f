"""The rules of an operation's pace that pages show and switch; the worker's side is ``work/pacing.py``."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.engine.counts.paces import GroupPace, paces
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.options import FULL_SPEED
from dlqconsole.operations.sql import sql

# an operation of at most so many is never slowed
FREE = 50


def slowed_groups(operation: Operation) -> list[GroupPace]:
    """The slowed groups of an operation, at its work or at its release, the slowest first."""
    goes_on = operation.status == Status.RUNNING and not is_held_back(operation.parameters)
    if not goes_on and not is_releasing(operation):
        return []
    items = operation.selected if goes_on else operation.done
    if not follows(operation.kind, items, operation.parameters):
        return []
    return paces(operation=operation.pk, slowed=True)


def go_at_full_speed(operation_id: int, actor: str) -> bool:
    """Let nothing slow it from now on; False where nothing does already, or it is over."""
    values = {"id": operation_id, "actor": actor, "kinds": kinds.paced()}
    return bool(fetch_column(sql("pacing.full_speed"), values))


def forget_old() -> None:
    """Delete the paces of operations without news for a day."""
    execute(sql("pacing.forget"), {})


def follows(kind: str, items: int, options: Mapping[str, Any]) -> bool:
    """Tell whether failures slow an operation of this kind over so many items."""
    return kinds.shown(kind).follows_pace and items > FREE and not options.get(FULL_SPEED.name)


def is_held_back(options: Mapping[str, Any]) -> bool:
    """Tell whether its messages wait for the end of an undo window."""
    return bool(options.get("undo_seconds"))


def is_releasing(operation: Operation) -> bool:
    """Tell whether its undo window is over, and not all messages are released yet."""
    until = operation.undo_until
    return until is not None and until <= timezone.now() and operation.released_at is None
