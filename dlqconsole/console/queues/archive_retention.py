"""Shortening what a queue archived already: counted, confirmed with the count, done, and told."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dlqconsole.console.queues.forms import ChangeForm
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.errors import InvalidQueue
from dlqconsole.engine.queues import archive_retention, archived_messages
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.archive_retention import Cost, Shortening

_BUDGET = 5_000  # milliseconds a page counts
_TOO_MANY = (
    "There are too many archived messages to count while you wait. Shorten them from the command line:"
    " manage.py queues change … --shorten-archived."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """To keep what was archived until ``before`` no longer than ``days``, and what that costs."""

    days: int
    before: datetime
    cost: Cost


def plan(name: str, given: Mapping[str, Any], before: datetime | None = None) -> Plan:
    """What shortening by the policy as it would be then costs; counted up to now, or to a moment before."""
    days = given.get("archive_days") or queue_metrics.live_of(name)["policy"]["archive_days"]
    moment = archive_retention.now() if before is None else min(before, archive_retention.now())
    return Plan(days, moment, archive_retention.cost(name, days, moment))


def asked_for(name: str, form: ChangeForm) -> Plan | None:
    """The plan of a form that is right but for the count; None: what is archived stays as it is."""
    if not form.cleaned_data["shorten_archived"]:
        return None
    try:
        with summaries.time_budget(_BUDGET):
            found = plan(name, form.policy, form.cleaned_data["counted_until"])
    except summaries.TooSlow as error:
        raise InvalidQueue(_TOO_MANY) from error
    form.confirm(found.cost.messages)
    return found


def carry_out(name: str, wanted: Plan, who: Mapping[str, str], seconds: float = float("inf")) -> str:
    """Do it, as long as ``seconds``; what was done, in a sentence."""
    return _told(archive_retention.shorten(name, wanted.days, wanted.before, seconds=seconds, **who))


def what_it_costs(wanted: Plan) -> str:
    """Before it is done: what a person confirms."""
    cost = wanted.cost
    later = cost.messages - cost.at_once
    return (
        f"{cost.messages:,} archived messages were promised a longer time: {cost.at_once:,} of them go at"
        f" once, {later:,} when they are {wanted.days:,} days old. Nothing brings them back."
    )


def what_stays(name: str, changes: Mapping[str, Any]) -> str:
    """A sentence for whoever changed how long messages are kept, where something is archived; else none."""
    speaks_of_it = "archive_days" in changes or "retention" in changes
    if speaks_of_it and archived_messages.has_any(name):
        return "What is archived already stays until its own time."
    return ""


def _told(done: Shortening) -> str:
    sentence = f"{done.deleted:,} archived messages went, {done.shortened:,} are kept for less time"
    return f"{sentence}; {done.left:,} are left: do it again to go on." if done.left else f"{sentence}."
