"""What the confirm page says before an operation is asked for."""

from typing import Any
from uuid import UUID

from django.urls import reverse

from dlqconsole.console.asked_operation import AskedOperation, new_request_key
from dlqconsole.console.shown_filter import list_url
from dlqconsole.operations.preview import preview


def confirmation(asked: AskedOperation, key: UUID | None = None) -> dict[str, Any]:
    """The page's context: the counted preview, and the fields that the form carries on."""
    found = preview(asked.kind, **asked.arguments())
    querystring = asked.filter.querystring if asked.filter else ""
    return {
        "preview": {
            "kind": asked.kind.value,
            "label": asked.kind.label,
            "scope": asked.scope,
            "words": asked.words,
            "count": found.total,
            "approximate": found.approximate,
            "eligible": found.eligible,
            "ineligible": found.ineligible,
        },
        "kind": asked.kind.value,
        "scope": asked.scope,
        "ids": asked.ids or [],
        "filter_querystring": querystring,
        "request_key": key or new_request_key(),
        "expected": found.total,
        "expected_exact": not found.approximate,
        "needs_typed_count": asked.needs_typed_count,
        "create_url": reverse("operations"),
        "back_url": _back_url(asked, querystring),
    }


def _back_url(asked: AskedOperation, querystring: str) -> str:
    if asked.ids and len(asked.ids) == 1:
        return reverse("dead_letter", args=asked.ids)
    return list_url(querystring)
