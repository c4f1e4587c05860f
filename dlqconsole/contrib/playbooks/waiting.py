"""The dead letters that wait for a playbook, and those that it takes within its budget."""

from dataclasses import dataclass

from django.db.models import Max, QuerySet

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.sql import sql
from dlqconsole.engine.counts.summaries import BUDGET, Count, count, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection
from dlqconsole.operations import kinds
from dlqconsole.operations.requests.preview import COUNT_BUDGET_MS, Preview, preview
from dlqconsole.operations.requests.scope import Matching


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
    newest = DeadLetter.objects.aggregate(newest=Max("pk"))["newest"] or 0
    whole = scope_of(row, newest)
    first_preview = preview(row.kind, whole, row.options)
    if not first_preview.is_least and first_preview.total <= remaining:
        return NextSelection(whole, first_preview, is_cut=False)
    part = scope_of(row, _last_of(whole.queryset(), remaining))
    return NextSelection(part, preview(row.kind, part, row.options), is_cut=part.up_to != newest)


def _last_of(rows: QuerySet[DeadLetter], number: int) -> int:
    """The highest id of the first ``number`` rows."""
    select, values = rows.order_by("pk").values("pk")[:number].query.sql_with_params()
    with time_budget(COUNT_BUDGET_MS), connection.cursor() as cursor:
        cursor.execute(sql("budget.last").replace("{matched}", select), values)
        (last,) = cursor.fetchone()
    return int(last or 0)
