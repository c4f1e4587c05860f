"""What the confirm page says before an operation is asked for."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from dlqconsole.console.operations.asked_operation import LONGEST_REASON, AskedOperation, new_request_key
from dlqconsole.console.operations.options import CANARY_ABOVE, Options, shown_options, words
from dlqconsole.console.parts.durations import duration
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.operations import approval
from dlqconsole.operations.models import Kind
from dlqconsole.operations.preview import Ineligible, Part, Preview, preview


def confirmation(
    asked: AskedOperation, options: Options, posted: Mapping[str, Any], key: UUID | None = None
) -> dict[str, Any]:
    """The page's context: the counted preview, what was typed so far, and what the form carries on."""
    found = preview(asked.kind, **asked.arguments(), queue=_queue(options), rate=options.rate)
    rule = approval.rule(asked.kind, options.parameters, found.total)
    return {
        "preview": {
            "kind": asked.kind.value,
            "scope": asked.scope,
            "words": asked.words,
            "count": found.total,
            "approximate": found.approximate,
            "eligible": found.eligible,
            "not_eligible": [{"count": row.count, "reason": _why(row)} for row in found.ineligible],
            "not_eligible_count": sum(row.count for row in found.ineligible),
            "typed_count": asked.needs_typed_count or rule == approval.TYPED,
            "approval": _approval_sentence(asked.kind, options, rule),
            "offers_canary": _offers_canary(asked, found),
            "hidden": _hidden(asked, found),
            "action_url": reverse("operations"),
            "recount_url": reverse("operation_confirm"),
            "back_url": _back_url(asked),
            **_consists_of(found),
            **_takes(found),
        },
        "options": shown_options(asked.kind, posted) | {"words": words(asked.kind, options)},
        "reason": str(posted.get("reason", ""))[:LONGEST_REASON],
        "errors": [],
        "request_key": key or new_request_key(),
    }


def _queue(options: Options) -> str:
    return str(options.parameters.get("queue", ""))


def _why(row: Ineligible) -> str:
    return f"{row.status}: {row.why}" if row.status else row.why


def _approval_sentence(kind: Kind, options: Options, rule: str) -> str:
    """What else it needs before it is done; empty when nothing."""
    if rule != approval.SECOND:
        return ""
    if kind == Kind.PURGE:
        return "A second person has to approve: what is purged is gone for ever."
    if kind == Kind.EXPORT:
        return "A second person has to approve: personal data leaves unmasked."
    return f"A second person has to approve: these are more than {settings.DLQ_FOUR_EYES_ABOVE:,}."


def _offers_canary(asked: AskedOperation, found: Preview) -> bool:
    """Whether trying a few first stands beside the button: for a whole group, and for many."""
    if asked.kind not in (Kind.REVIVE, Kind.RETRY):
        return False
    of_group = asked.filter is not None and asked.filter.group is not None and found.eligible > 1
    return of_group or found.eligible > CANARY_ABOVE


def _consists_of(found: Preview) -> dict[str, Any]:
    """The figures below the count; worth showing where there is more than one."""
    if found.total < 2 or found.approximate:
        return {"cuts": [], "facts": [], "not_counted": found.approximate}
    cuts = [
        _cut("Dead for", found.ages),
        _cut("Event type", found.types),
        _cut("Category", found.categories),
    ]
    return {"cuts": cuts, "facts": _facts(found), "not_counted": False}


def _cut(title: str, parts: tuple[Part, ...]) -> dict[str, Any]:
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
    about = "" if found.seconds is None else f"about {duration(max(found.seconds, 1))}"
    pace = found.consumers
    if pace is None:
        consumers = ""
    elif pace < 1:
        consumers = "Their consumers completed nothing in the last five minutes."
    else:
        rest = duration(max(found.eligible / pace * 60, 1))
        consumers = f"Their consumers complete {pace:,.0f} a minute just now: {rest} for these."
    return {"takes": about, "consumers": consumers}


def _hidden(asked: AskedOperation, found: Preview) -> list[tuple[str, object]]:
    fields: list[tuple[str, object]] = [
        ("scope", asked.scope),
        ("expected", found.total),
        ("expected_exact", not found.approximate),
    ]
    if asked.filter is not None:
        return [*fields, ("filter", asked.filter.querystring)]
    if asked.source is not None:
        return [*fields, ("source", asked.source[0]), ("outcome", asked.source[1])]
    return [*fields, *(("ids", letter_id) for letter_id in asked.ids or ())]


def _back_url(asked: AskedOperation) -> str:
    if asked.filter is not None:
        return list_url(asked.filter.querystring)
    if asked.source is not None:
        return reverse("operation", args=[asked.source[0]])
    ids = asked.ids or []
    return reverse("dead_letter", args=ids) if len(ids) == 1 else list_url("")
