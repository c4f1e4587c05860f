"""What a playbook is about: which dead letters wait for it, and which of them it takes within its budget."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Max, QuerySet

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.sql import sql
from dlqconsole.engine.counts.summaries import BUDGET, Count, count, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import kinds
from dlqconsole.operations.preview import COUNT_BUDGET_MS, Preview, preview
from dlqconsole.operations.scope import Matching


@dataclass(frozen=True, slots=True)
class Chosen:
    """The next operation's ``scope`` and what the confirm page would say of it.

    ``is_cut``: the budget, or the time, leaves some out: more are to follow.
    """

    scope: Matching
    preview: Preview
    is_cut: bool


def scope_of(row: Playbook, up_to: int | None = None) -> Matching:
    """All that it may act on. Raises InvalidFilter, and OperationRefused for a kind that is gone."""
    states = tuple(str(state) for state in kinds.get(row.kind).unattended)
    return Matching(DeadLetterFilter.from_canonical(row.filter), states, up_to)


def waiting(row: Playbook, reach: Reach) -> Count:
    """How many wait for it: at once, or about."""
    return count(scope_of(row).queryset(reach), BUDGET)


def choose(row: Playbook, reach: Reach, left: int) -> Chosen:
    """The oldest, as many as the budget has left. Raises TooSlow where they cannot be told apart in time."""
    newest = DeadLetter.objects.aggregate(newest=Max("pk"))["newest"] or 0
    whole = scope_of(row, newest)
    found = preview(row.kind, whole, reach, row.options)
    if not found.is_least and found.total <= left:
        return Chosen(whole, found, is_cut=False)
    cut = scope_of(row, _last_of(whole.queryset(reach), left))
    return Chosen(cut, preview(row.kind, cut, reach, row.options), is_cut=cut.up_to != newest)


def _last_of(rows: QuerySet[DeadLetter], number: int) -> int:
    """The highest id of the first so many."""
    select, values = rows.order_by("pk").values("pk")[:number].query.sql_with_params()
    with time_budget(COUNT_BUDGET_MS), connection.cursor() as cursor:
        cursor.execute(sql("budget.last").replace("{matched}", select), values)
        (last,) = cursor.fetchone()
    return int(last or 0)
