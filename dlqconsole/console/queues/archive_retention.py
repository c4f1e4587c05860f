"""Shortening the time of archived messages: counted, confirmed with the count, done, and reported."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.queues.forms import ChangeForm
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.queues import archive
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.archive import Cost, Shortening
from dlqconsole.hosting.wording import format_lazy, gettext_lazy

_BUDGET = 5_000  # milliseconds a page counts
_TOO_MANY = format_lazy(
    gettext_lazy(
        "There are too many archived messages to count while you wait. Shorten them from the"
        " command line: {program} queues change … --shorten-archived."
    ),
    program=PROGRAM,
)


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """Keep messages archived before ``before`` no longer than ``days``, and the cost of that."""

    days: int
    before: datetime
    cost: Cost


def plan(name: str, values: Mapping[str, Any], before: datetime | None = None) -> RetentionPlan:
    """The cost of shortening by the future policy; counted up to now, or to an earlier time."""
    days = values.get("archive_days") or queue_metrics.live_of(name)["policy"]["archive_days"]
    moment = archive.now() if before is None else min(before, archive.now())
    return RetentionPlan(days, moment, archive.cost(name, days, moment))


def plan_of_form(name: str, form: ChangeForm) -> RetentionPlan | None:
    """The plan of a form that is valid except for the count; None: archived messages stay as they are."""
    if not form.cleaned_data["shorten_archived"]:
        return None
    try:
        with summaries.time_budget(_BUDGET):
            new_plan = plan(name, form.policy, form.cleaned_data["counted_until"])
    except summaries.TooSlow as error:
        raise InvalidQueue(_TOO_MANY) from error
    form.confirm(new_plan.cost.messages)
    return new_plan


def carry_out(name: str, todo: RetentionPlan, who: Mapping[str, str], seconds: float = float("inf")) -> str:
    """Do it for at most ``seconds``; return a sentence about the result."""
    return _result_sentence(archive.shorten(name, todo.days, todo.before, seconds=seconds, **who))


def cost_sentence(todo: RetentionPlan) -> str:
    """The sentence that a person confirms."""
    cost = todo.cost
    later = cost.messages - cost.at_once
    return _(
        "{messages:,} archived messages were promised a longer time: {at_once:,} of them go"
        " at once, {later:,} when they are {days:,} days old. Nothing brings them back."
    ).format(messages=cost.messages, at_once=cost.at_once, later=later, days=todo.days)


def unchanged_sentence(name: str, changes: Mapping[str, Any]) -> str:
    """A sentence that archived messages keep their time, if the change suggests otherwise; else empty."""
    speaks_of_it = "archive_days" in changes or "retention" in changes
    if speaks_of_it and archive.has_any(name):
        return _("Archived messages stay until their own time.")
    return ""


def _result_sentence(result: Shortening) -> str:
    sentence = _("{deleted:,} archived messages went, {shortened:,} are kept for less time").format(
        deleted=result.deleted, shortened=result.shortened
    )
    return (
        _("{sentence}; {left:,} are left: do it again to go on.").format(sentence=sentence, left=result.left)
        if result.left
        else f"{sentence}."
    )
