"""What waits for approval, as who approves has to see it: some of the very items, a recipe tried."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User

from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.recipes import RecipePreview, preview
from dlqconsole.operations.scope import ItemsOf
from dlqconsole.operations.sql import sql
from dlqconsole.people.actors import account_of
from dlqconsole.people.reaches import reach_of_person
from dlqconsole.people.roles import CHANGERS
from dlqconsole.processing.json_text import pretty
from dlqconsole.processing.patching import RecipeRefused, read_recipe

RANDOM = 4
# of a larger selection nobody waits until all of it is compared
MOST_COMPARED = 5_000
BUDGET_MS = 250
MOST_APPROVERS = 10
MOST_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class ApprovalPreview:
    """``samples``: numbers of items. ``recipe``: as it was typed, set out for reading; ``tried``: on some.

    ``changed``: so many of the first ``compared`` are not as they were, and would be skipped; None where it
    was not counted in time.
    ``changed_samples``: which of the samples are. ``approvers``: who may approve, as actors.
    """

    samples: list[int]
    changed_samples: list[int]
    changed: int | None
    compared: int
    approvers: list[str]
    recipe: str = ""
    tried: RecipePreview | None = field(default=None)


def approval_preview(operation: Operation) -> ApprovalPreview:
    """What stands in the tables now of an operation whose selection is complete, for who sees all of it."""
    recipe = str(operation.parameters.get("recipe", ""))
    samples = _samples(operation)
    return ApprovalPreview(
        samples=samples,
        changed_samples=_changed_among(operation, samples),
        changed=_changed(operation),
        compared=min(operation.selected, MOST_COMPARED),
        approvers=_approvers(operation),
        recipe=pretty(recipe) if recipe else "",
        tried=_tried(operation, recipe) if recipe else None,
    )


def _approvers(operation: Operation) -> list[str]:
    """Who is limited and does not see all of it cannot approve it."""
    values = {"id": operation.pk, "changers": list(CHANGERS), "most": MOST_LOOKED_AT}
    actors = fetch_column(sql("approval_preview.approvers"), values)
    accounts = User.objects.in_bulk([account_of(actor) for actor in actors])
    reaches = {f"user:{pk}": reach_of_person(account) for pk, account in accounts.items()}
    return [
        actor
        for actor in actors
        if actor in reaches and visibility.whole(reaches[actor]).filter(pk=operation.pk).exists()
    ][:MOST_APPROVERS]


def _samples(operation: Operation) -> list[int]:
    of = kinds.shown(operation.kind).items
    return fetch_column(of.put_into(sql("approval_preview.sample")), {"id": operation.pk, "random": RANDOM})


def _changed(operation: Operation) -> int | None:
    kind = kinds.shown(operation.kind)
    if kind.items is not DEAD_LETTERS:
        return 0
    try:
        with time_budget(BUDGET_MS):
            values = {"id": operation.pk, "most": MOST_COMPARED}
            return int(fetch_column(kind.counts_as_changed.how_many, values)[0])
    except TooSlow:
        return None


def _changed_among(operation: Operation, ids: list[int]) -> list[int]:
    kind = kinds.shown(operation.kind)
    if kind.items is not DEAD_LETTERS:
        return []
    return fetch_column(kind.counts_as_changed.among, {"id": operation.pk, "ids": ids})


def _tried(operation: Operation, recipe: str) -> RecipePreview | None:
    try:
        return preview(read_recipe(recipe), ItemsOf(operation.pk, ItemStatus.REMAINING), EVERYTHING)
    except RecipeRefused:
        return None
