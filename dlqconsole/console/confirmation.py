"""What the confirm page says before an operation is asked for."""

from typing import Any
from uuid import UUID

from django.urls import reverse

from dlqconsole.console.asked_operation import AskedOperation, new_request_key
from dlqconsole.console.shown_filter import list_url
from dlqconsole.operations.preview import Ineligible, Preview, preview


def confirmation(asked: AskedOperation, key: UUID | None = None) -> dict[str, Any]:
    """The page's context: the counted preview, and the hidden fields that the form carries on."""
    found = preview(asked.kind, **asked.arguments())
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
            "typed_count": asked.needs_typed_count,
            "hidden": _hidden(asked, found),
            "action_url": reverse("operations"),
            "back_url": _back_url(asked),
        },
        "request_key": key or new_request_key(),
    }


def _why(row: Ineligible) -> str:
    return f"{row.status}: {row.why}" if row.status else row.why


def _hidden(asked: AskedOperation, found: Preview) -> list[tuple[str, object]]:
    fields: list[tuple[str, object]] = [
        ("scope", asked.scope),
        ("expected", found.total),
        ("expected_exact", not found.approximate),
    ]
    if asked.filter is not None:
        return [*fields, ("filter", asked.filter.querystring)]
    return [*fields, *(("ids", letter_id) for letter_id in asked.ids or ())]


def _back_url(asked: AskedOperation) -> str:
    if asked.filter is not None:
        return list_url(asked.filter.querystring)
    ids = asked.ids or []
    return reverse("dead_letter", args=ids) if len(ids) == 1 else list_url("")
