"""The budget of a playbook in this hour and this day of the database's clock, in UTC."""

from dataclasses import dataclass
from datetime import datetime

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.sql import sql
from dlqconsole.core.named_sql import fetch_column, fetch_dicts


@dataclass(frozen=True, slots=True)
class PlaybookBudget:
    """``this_hour`` and ``this_day``: dead letters used up; ``operations``: requested today."""

    this_hour: int
    this_day: int
    operations: int
    remaining: int
    # the sentence why it does nothing more now, and until when; empty: it may act
    refusal: str


def clock() -> datetime:
    """The present moment, by the database's clock."""
    now: datetime = fetch_column(sql("budget.clock"), {})[0]
    return now


def budget(row: Playbook) -> PlaybookBudget:
    """Return the budget of a playbook: the used part and the rest."""
    spent = fetch_dicts(sql("budget.spent"), {"id": row.pk})[0]
    of_day = row.per_day - spent["this_day"]
    of_hour = of_day if row.per_hour is None else row.per_hour - spent["this_hour"]
    remaining = max(min(of_day, of_hour), 0)
    return PlaybookBudget(
        spent["this_hour"],
        spent["this_day"],
        spent["operations"],
        remaining,
        _refusal(row, spent["operations"], of_day, of_hour, spent["next_hour"], spent["next_day"]),
    )


def _refusal(
    row: Playbook, operations: int, of_day: int, of_hour: int, next_hour: datetime, next_day: datetime
) -> str:
    if operations >= row.operations_per_day:
        s = "" if row.operations_per_day == 1 else "s"
        return _used_up(f"{row.operations_per_day:,} operation{s}", "day", next_day)
    if of_day <= 0:
        return _used_up(f"{row.per_day:,} dead letters", "day", next_day)
    if of_hour <= 0:
        return _used_up(f"{row.per_hour or 0:,} dead letters", "hour", next_hour)
    return ""


def _used_up(what: str, unit: str, until: datetime) -> str:
    return f"Its budget of this {unit} is used up: {what}. It goes on at {until:%Y-%m-%d %H:%M} UTC."
