"""The budget of a playbook in this hour and day (UTC), and the dead letters that it takes within it."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.core.named_sql import fetch_column, fetch_dicts, load
from dlqconsole.engine.counts.summaries import BUDGET, Count, count, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.database import connection
from dlqconsole.operations import kinds
from dlqconsole.operations.requests.preview import COUNT_BUDGET_MS, Preview, preview
from dlqconsole.operations.requests.scope import Matching, newest_number
from dlqconsole.processing.inputs.sentences import stored

sql = load(Path(__file__).parent)


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
        number = row.operations_per_day
        words = ngettext(
            "Its budget of this day is used up: {number:,} operation. It goes on at {until}.",
            "Its budget of this day is used up: {number:,} operations. It goes on at {until}.",
            number,
        )
        return words.format(number=number, until=moment(next_day, MINUTES))
    if of_day <= 0:
        words = _(
            stored("Its budget of this day is used up: {number:,} dead letters. It goes on at {until}.")
        )
        return words.format(number=row.per_day, until=moment(next_day, MINUTES))
    if of_hour <= 0:
        words = _(
            stored("Its budget of this hour is used up: {number:,} dead letters. It goes on at {until}.")
        )
        return words.format(number=row.per_hour or 0, until=moment(next_hour, MINUTES))
    return ""


@dataclass(frozen=True, slots=True)
class NextSelection:
    """The next operation's ``scope`` and its preview, as on the confirm page.

    ``is_cut``: the budget, or the time, leaves some out; a further operation follows.
    """

    scope: Matching
    preview: Preview
    is_cut: bool


def scope_of(row: Playbook, up_to: int | None = None) -> Matching:
    """The scope of all its items. Raises InvalidFilter, and OperationRefused for a kind that is gone."""
    states = tuple(str(state) for state in kinds.get(row.kind).unattended)
    return Matching(DeadLetterFilter.from_canonical(row.filter), states, up_to)


def waiting(row: Playbook) -> Count:
    """Count the dead letters that wait for it: an exact number or an estimate."""
    return count(scope_of(row).queryset(), BUDGET)


def choose(row: Playbook, remaining: int) -> NextSelection:
    """Choose the oldest, as many as the budget allows. Raises TooSlow where that takes too long."""
    newest = newest_number()
    whole = scope_of(row, newest)
    first_preview = preview(row.kind, whole, row.options)
    if not first_preview.is_least and first_preview.total <= remaining:
        return NextSelection(whole, first_preview, is_cut=False)
    part = replace(whole, up_to=_last_of(whole.queryset(), remaining))
    return NextSelection(part, preview(row.kind, part, row.options), is_cut=part.up_to != newest)


def _last_of(rows: QuerySet[DeadLetter], number: int) -> int:
    """The highest id of the first ``number`` rows."""
    select, values = rows.order_by("pk").values("pk")[:number].query.sql_with_params()
    with time_budget(COUNT_BUDGET_MS), connection.cursor() as cursor:
        cursor.execute(sql("budget.last").replace("{matched}", select), values)
        (last,) = cursor.fetchone()
    return int(last or 0)
