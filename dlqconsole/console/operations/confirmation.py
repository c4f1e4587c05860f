"""The confirm page before an operation: its context."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.operations.operation_intent import (
    OperationIntent,
    scope_fields,
    scope_name,
    scope_words,
)
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.queue_figures import of_queue
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.core.flow.judging import DEFAULT_BOUNDS, rate_words
from dlqconsole.engine.counts.paces import rule_words
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.moments import duration
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.requests import approval, workers
from dlqconsole.operations.requests.preview import Ineligible, Preview, SelectionPart, preview
from dlqconsole.operations.requests.request import canary_offered
from dlqconsole.operations.requests.scope import ItemsOf, QueueMessages, Rows, Scope
from dlqconsole.people.names import named
from dlqconsole.processing.texts import visible
from dlqconsole.runs import service
from dlqconsole.triage.remarks import remarks

NOT_KNOWN = gettext_lazy("not known (counting took too long)")
# the most groups slowed by the schedule that are named
SLOWED_SHOWN = 3


def confirmation(intent: OperationIntent, form: RequestForm, options_form: OptionsForm) -> dict[str, Any]:
    """The page's context: the counted preview, the typed values, and the hidden fields of the form."""
    kind, scope, options = intent.kind, intent.scope, options_form.chosen
    counts = preview(kind.name, scope, options)
    rule = approval.rule(kind, options, counts.total)
    form.ask_for(counts.eligible)
    return {
        "kind": kind,
        "preview": {
            "kind": kind.name,
            "scope": scope_name(scope),
            "words": scope_words(scope),
            "noun": kind.items.noun,
            "count": counts.total,
            "is_least": counts.is_least,
            "number": Count(counts.total, counts.is_least),
            "acts_on": Count(counts.eligible, counts.is_least),
            "eligible": counts.eligible,
            "not_eligible": [{"count": row.count, "reason": _why(row)} for row in counts.ineligible],
            "not_eligible_count": sum(row.count for row in counts.ineligible),
            "typed_count": intent.needs_typed_count or rule == approval.TYPED,
            "approval": approval.sentence(kind, options, counts.total),
            "offers_canary": canary_offered(kind, scope, counts.eligible),
            "hidden": _hidden_fields(intent, counts),
            "action_url": reverse("dlq:operations"),
            "recount_url": reverse("dlq:operation_confirm"),
            "back_url": _back_url(intent),
            "why_none": _("None of them can be acted on; the reasons stand above."),
            **_remarks(scope),
            "notes": [
                *(visible(named(sentence)) for sentence in counts.blockers),
                *([nobody] if (nobody := workers.warning()) else ()),
                *_nobody_starts(kind, options),
                *_pace(counts),
            ],
            **(of_queue(scope, counts) if isinstance(scope, QueueMessages) else _consists_of(counts)),
            **_takes(counts),
        },
        "form": form,
        "options": options_form,
        "errors": [*form.sentences, *options_form.sentences],
        "request_key": form.key or uuid4(),
        "feature_cards": [],
        "stays": False,
    }


def _remarks(scope: Scope) -> dict[str, Any]:
    """The remarks of people on the failure groups in the scope, as a person may see them."""
    if isinstance(scope, QueueMessages):
        return {"remarks": [], "more_remarks": False}
    there, may_be_more = remarks(scope.queryset(), are_few=isinstance(scope, Rows))
    titles = masked_texts()
    rows = [{"of": each, "title": titles.text(each.title.strip()) or _("no reason given")} for each in there]
    return {"remarks": rows, "more_remarks": may_be_more}


def _why(row: Ineligible) -> str:
    why = translated(row.why)
    return f"{row.status}: {why}" if row.status else why


def _consists_of(counts: Preview) -> dict[str, Any]:
    """The figures below the count; shown for more than one item."""
    if counts.total < 2 or counts.is_least:
        return {"cuts": [], "facts": [], "not_counted": counts.is_least}
    cuts = [
        _breakdown(_("Dead for"), counts.ages),
        _breakdown(_("Event type"), counts.types),
        _breakdown(_("Category"), counts.categories),
    ]
    return {"cuts": cuts, "facts": _facts(counts), "not_counted": False}


def _breakdown(title: str, parts: tuple[SelectionPart, ...]) -> dict[str, Any]:
    words = [SelectionPart(translated(part.label), part.count) for part in parts if part.count]
    return {"title": title, "parts": words}


def _facts(counts: Preview) -> list[tuple[str, str]]:
    return [
        (_("Duplicates"), _duplicate_words(counts)),
        (_("Ordering keys"), _number(counts.ordering_keys, _("none"))),
    ]


def _duplicate_words(counts: Preview) -> str:
    """The number of items that share a business key with another."""
    duplicates = counts.duplicates
    if duplicates is None:
        return NOT_KNOWN
    if not duplicates.rows:
        return _("none")
    words = ngettext("{rows:,} share {keys:,} key", "{rows:,} share {keys:,} keys", duplicates.keys)
    return words.format(rows=duplicates.rows, keys=duplicates.keys)


def _number(value: int | None, zero: str) -> str:
    if value is None:
        return NOT_KNOWN
    return f"{value:,}" if value else zero


def _takes(counts: Preview) -> dict[str, str]:
    """The time that it will take, and the pace of the consumers."""
    return {"takes": _duration(counts) if counts.eligible else "", "consumers": _consumers(counts)}


def _duration(counts: Preview) -> str:
    """An estimate only if a pace was measured; a rate alone gives the shortest time.

    Consumers may have had little to do lately: what they completed gives the longest time.
    """
    if counts.seconds is None and counts.consumers:
        return _("at most {about}: their consumers did {rate} lately, or had no more to do").format(
            about=duration(max(counts.eligible / counts.consumers, 1)),
            rate=translated(rate_words(counts.consumers)),
        )
    if counts.seconds is None:
        return _("unknown: none like it has been measured yet")
    about = duration(max(counts.seconds, 1))
    longer = _(", longer if many fail again") if counts.slow_groups else ""
    return (
        _("about {about}{longer}").format(about=about, longer=longer)
        if counts.is_measured
        else _("at least {about} at this rate").format(about=about)
    )


def _pace(counts: Preview) -> list[str]:
    """The rule that slows it down after failures, and the groups that fail again in the schedule now."""
    if not counts.follows_pace:
        return []
    full_speed = _("Tick “Ignore automatic slowing”, and nothing slows it.")
    lowest = DEFAULT_BOUNDS.lowest
    came = [
        _(
            "{group}: of what the schedule tried, {why}. If as many fail again here, that group is slowed to"
            " {rate}, and the others go on."
        ).format(
            group=visible(each.name),
            why=stored_text(each.why),
            rate=translated(rate_words(lowest(each.share))),
        )
        for each in counts.slow_groups[:SLOWED_SHOWN]
        if each.share is not None
    ]
    # several groups may have the same sentence
    return [f"{sentence} {full_speed}" for sentence in dict.fromkeys(came) or [rule_words()]]


def _nobody_starts(kind: Kind, options: Mapping[str, Any]) -> list[str]:
    warning = service.starter_warning() if kind.runs_on_spark(options) else ""
    return [warning] if warning else []


def _consumers(counts: Preview) -> str:
    if counts.elsewhere:
        return _("How soon they are handled is not known: consumers of another system say nothing here.")
    if counts.feeds_queues and not counts.consumers:
        return _(
            "Their consumers completed nothing in the last day: how soon they handle these is not known."
        )
    return ""


def _hidden_fields(intent: OperationIntent, counts: Preview) -> list[tuple[str, object]]:
    fields = [
        ("expected", counts.total),
        ("expected_exact", not counts.is_least),
        ("acts_on", counts.eligible),
    ]
    listed = [] if intent.listed is None else [("listed", intent.listed)]
    return [*scope_fields(intent.scope), *listed, *fields]


def _back_url(intent: OperationIntent) -> str:
    scope = intent.scope
    if intent.listed is not None:
        return list_url(intent.listed)
    if isinstance(scope, ItemsOf):
        return reverse("dlq:operation", args=[scope.operation_id])
    if isinstance(scope, QueueMessages):
        return reverse("dlq:queue", args=[scope.queue])
    if isinstance(scope, Rows) and len(scope.ids) == 1:
        return reverse("dlq:dead_letter", args=scope.ids)
    return list_url("")
