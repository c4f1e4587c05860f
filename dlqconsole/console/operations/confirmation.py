"""What the confirm page says before an operation is asked for."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from dlqconsole.console.operations.asked_operation import (
    AskedOperation,
    new_request_key,
    scope_fields,
    scope_name,
)
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.queue_figures import of_queue
from dlqconsole.console.operations.scope_words import scope_words
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.pacing import bounds, rule_words
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import approval, worker_presence
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.preview import Ineligible, Preview, SelectionPart, preview
from dlqconsole.operations.request import canary_offered
from dlqconsole.operations.scope import ItemsOf, Matching, QueueMessages, Scope
from dlqconsole.people.names import named
from dlqconsole.processing.durations import duration
from dlqconsole.processing.hidden_characters import visible
from dlqconsole.processing.pacing.words import rate_words
from dlqconsole.runs import starters

# of what the schedule has slowed so many are named
SLOWED_SHOWN = 3


def confirmation(
    asked: AskedOperation, form: RequestForm, options_form: OptionsForm, reach: Reach
) -> dict[str, Any]:
    """The page's context: the counted preview, what was typed so far, and what the form carries on."""
    kind, scope, options = asked.kind, asked.scope, options_form.chosen
    found = preview(kind.name, scope, reach, options)
    rule = approval.rule(kind, options, found.total)
    form.ask_for(found.eligible)
    return {
        "kind": kind,
        "preview": {
            "kind": kind.name,
            "scope": scope_name(scope),
            "words": scope_words(scope, reach),
            "noun": kind.items.noun,
            "count": found.total,
            "is_least": found.is_least,
            "number": Count(found.total, found.is_least),
            "acts_on": Count(found.eligible, found.is_least),
            "eligible": found.eligible,
            "not_eligible": [{"count": row.count, "reason": _why(row)} for row in found.ineligible],
            "not_eligible_count": sum(row.count for row in found.ineligible),
            "typed_count": asked.needs_typed_count or rule == approval.TYPED,
            "approval": approval.sentence(kind, options, found.total),
            "offers_canary": canary_offered(kind, scope, found.eligible),
            "hidden": _hidden(scope, found),
            "action_url": reverse("operations"),
            "recount_url": reverse("operation_confirm"),
            "back_url": _back_url(scope),
            "why_none": "None of them can be acted on; the reasons stand above.",
            "notes": [
                *(visible(named(sentence)) for sentence in found.blockers),
                *([nobody] if (nobody := worker_presence.warning()) else ()),
                *_nobody_starts(kind, options),
                *_pace(found),
            ],
            **(of_queue(scope, found) if isinstance(scope, QueueMessages) else _consists_of(found)),
            **_takes(found),
        },
        "form": form,
        "options": options_form,
        "errors": [*form.sentences, *options_form.sentences],
        "request_key": form.key or new_request_key(),
    }


def _why(row: Ineligible) -> str:
    return f"{row.status}: {row.why}" if row.status else row.why


def _consists_of(found: Preview) -> dict[str, Any]:
    """The figures below the count; worth showing where there is more than one."""
    if found.total < 2 or found.is_least:
        return {"cuts": [], "facts": [], "not_counted": found.is_least}
    cuts = [
        _cut("Dead for", found.ages),
        _cut("Event type", found.types),
        _cut("Category", found.categories),
    ]
    return {"cuts": cuts, "facts": _facts(found), "not_counted": False}


def _cut(title: str, parts: tuple[SelectionPart, ...]) -> dict[str, Any]:
    return {"title": title, "parts": [part for part in parts if part.count]}


def _facts(found: Preview) -> list[tuple[str, str]]:
    return [
        ("Same business key", _shared(found)),
        ("Ordering keys", _number(found.ordering_keys, "none")),
    ]


def _shared(found: Preview) -> str:
    """How many are about the same thing as another of them."""
    shared = found.duplicates
    if shared is None:
        return "not counted in time"
    if not shared.rows:
        return "none twice"
    things = "1 key" if shared.keys == 1 else f"{shared.keys:,} keys"
    return f"{shared.rows:,} share {things}"


def _number(value: int | None, zero: str) -> str:
    if value is None:
        return "not counted in time"
    return f"{value:,}" if value else zero


def _takes(found: Preview) -> dict[str, str]:
    """How long it will take, and how fast those are who have to handle it."""
    return {"takes": _duration(found) if found.eligible else "", "consumers": _consumers(found)}


def _duration(found: Preview) -> str:
    """An estimate only where a pace was measured; a rate alone says how long it takes at least."""
    if found.seconds is None:
        return "unknown: none like it has been measured yet"
    about = duration(max(found.seconds, 1))
    longer = ", longer where they come back" if found.slow_groups else ""
    return f"about {about}{longer}" if found.is_measured else f"at least {about} at this rate"


def _pace(found: Preview) -> list[str]:
    """That it slows down by its own come-backs, and what of it comes back to the schedule by now."""
    if not found.follows_pace:
        return []
    full_speed = "Choose “at full speed”, and nothing slows it."
    came = [
        f"{visible(each.name)}: of what the schedule tried, {each.why}. Where as much comes back here, that"
        f" group is slowed to {rate_words(bounds().lowest(each.share))}, and the others go on. {full_speed}"
        for each in found.slow_groups[:SLOWED_SHOWN]
        if each.share is not None
    ]
    # several groups may read alike
    return list(dict.fromkeys(came)) or [f"{rule_words()} {full_speed}"]


def _nobody_starts(kind: Kind, options: Mapping[str, Any]) -> list[str]:
    warning = starters.warning() if kind.runs_on_spark(options) else ""
    return [warning] if warning else []


def _consumers(found: Preview) -> str:
    if found.elsewhere:
        return "How soon they are handled is not known: consumers of another system say nothing here."
    if found.feeds_queues and not found.consumers:
        return "Their consumers completed nothing in the last day: how soon they handle these is not known."
    return ""


def _hidden(scope: Scope, found: Preview) -> list[tuple[str, object]]:
    seen = [
        ("expected", found.total),
        ("expected_exact", not found.is_least),
        ("acts_on", found.eligible),
    ]
    return [*scope_fields(scope), *seen]


def _back_url(scope: Scope) -> str:
    if isinstance(scope, Matching):
        return list_url(Shown(scope.filter.querystring))
    if isinstance(scope, ItemsOf):
        return reverse("operation", args=[scope.operation_id])
    if isinstance(scope, QueueMessages):
        return reverse("queue", args=[scope.queue])
    return reverse("dead_letter", args=scope.ids) if len(scope.ids) == 1 else list_url("")
