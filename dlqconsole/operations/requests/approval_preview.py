"""The preview for an approver: sample items, items changed since, approvers, and a recipe tried on some."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth import get_user_model

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.requests.recipes import RecipePreview, preview
from dlqconsole.operations.requests.scope import ItemsOf
from dlqconsole.operations.sql import sql
from dlqconsole.people.actors import account_of
from dlqconsole.people.current_user import access_of_person
from dlqconsole.people.roles import CHANGERS
from dlqconsole.processing.exact_json import pretty
from dlqconsole.processing.patching import RecipeRefused, read_recipe

RANDOM = 4
# of a larger selection only the first items are compared: nobody waits for all
MOST_COMPARED = 5_000
BUDGET_MS = 250
MOST_APPROVERS = 10
MOST_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class ApprovalPreview:
    """``samples``: numbers of items. ``recipe``: the person's text, indented; ``trial``: its preview on some.

    ``changes``: how many of the first ``compared_items`` have changed and would be skipped; None where it
    was not counted in time.
    ``changed_samples``: the samples among these. ``approvers``: the actors who may approve.
    """

    samples: list[int]
    changed_samples: list[int]
    changes: int | None
    compared_items: int
    approvers: list[str]
    recipe: str = ""
    trial: RecipePreview | None = field(default=None)


def approval_preview(operation: Operation) -> ApprovalPreview:
    """Read the preview of an operation whose selection is complete, for a person who sees all of it."""
    recipe = str(operation.parameters.get("recipe", ""))
    samples = _samples(operation)
    return ApprovalPreview(
        samples=samples,
        changed_samples=_changed_among(operation, samples),
        changes=_count_changed(operation),
        compared_items=min(operation.selected, MOST_COMPARED),
        approvers=_approvers(operation),
        recipe=pretty(recipe) if recipe else "",
        trial=_trial(operation, recipe) if recipe else None,
    )


def _approvers(operation: Operation) -> list[str]:
    """The actors who may approve it: a person with a limited scope must see all of it."""
    values = {"id": operation.pk, "changers": list(CHANGERS), "most": MOST_CANDIDATES}
    actors = fetch_column(sql("approval_preview.approvers"), values)
    accounts = get_user_model().objects.in_bulk([account_of(actor) for actor in actors])
    return [
        f"user:{account.pk}"
        for account in map(accounts.get, map(account_of, actors))
        if account is not None and _sees_whole(account, operation)
    ][:MOST_APPROVERS]


def _sees_whole(account: Any, operation: Operation) -> bool:
    with asking_as(access_of_person(account)):
        return visibility.whole().filter(pk=operation.pk).exists()


def _samples(operation: Operation) -> list[int]:
    of = kinds.shown(operation.kind).items
    return fetch_column(of.put_into(sql("approval_preview.sample")), {"id": operation.pk, "random": RANDOM})


def _count_changed(operation: Operation) -> int | None:
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


def _trial(operation: Operation, recipe: str) -> RecipePreview | None:
    try:
        with asking_as(EVERYTHING):
            return preview(read_recipe(recipe), ItemsOf(operation.pk, ItemStatus.REMAINING))
    except RecipeRefused:
        return None
