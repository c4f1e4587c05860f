"""A failure group's state without a person: it regresses, or its snooze ends."""

from collections.abc import Sequence

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.engine.sql import sql


def keep(group_ids: Sequence[int]) -> None:
    """Update the states of groups after a fold that changed their figures."""
    if group_ids:
        execute(sql("group_states.make_missing"), {"groups": group_ids})
        execute(sql("group_states.regress"), {"groups": group_ids, "statuses": list(DeadLetterStatus)})
    execute(sql("group_states.wake").format(over=over()), {})


def make_missing() -> None:
    """Make rows of groups that no fold could make, because somebody seemed to be at it."""
    execute(sql("group_states.make_missing"), {"groups": fetch_column(sql("group_states.missing"), {})})


def over() -> str:
    """Return the SQL that says why the snooze of the group ``g`` is over; empty text while it lasts."""
    return sql("group_states.over")
