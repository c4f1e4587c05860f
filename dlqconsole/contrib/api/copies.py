"""A dead letter as a request to this API: another console gets the same failure."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dlqconsole.contrib.api.reading import PLAIN, STRUCTURED
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import Card
from dlqconsole.processing import exact_json
from dlqconsole.processing.exact_json import pretty

_CURL = """\
# what was masked is a mark, such as ‹email›
curl "$DLQ_URL/api/v1/failures" -H "Authorization: Bearer $DLQ_TOKEN" \\
    -H 'Content-Type: {kind}' --data-binary @- <<'END_OF_EVENT'
{event}
END_OF_EVENT
"""


def curl(request: HttpRequest, letter: DeadLetter, payload: str, headers: str) -> Card:
    """Make the card of a letter, payload and headers that are masked already."""
    event, kind = _event(letter, exact_json.loads(payload))
    event["error"] = _error(letter, exact_json.loads(headers or "{}"))
    text = Shown(_CURL.format(kind=kind, event=pretty(exact_json.dumps(event))))
    about = _("It reports the same failure to another console.")
    return Card("", {"name": "curl", "about": about, "text": text})


def _event(letter: DeadLetter, payload: Any) -> tuple[dict[str, Any], str]:
    """The event, and the type of its content."""
    if isinstance(payload, dict) and "specversion" in payload:
        return dict(payload), STRUCTURED
    identity = {"type": letter.event_type, "source": letter.source, "id": letter.source_key}
    return identity | {"data": payload}, PLAIN


def _error(letter: DeadLetter, headers: dict[str, Any]) -> dict[str, Any]:
    name = letter.error_class
    error = {
        "type": name or "Error",
        "message": letter.error_reason.removeprefix(f"{name}: "),
        "category": letter.error_category,
        "stacktrace": letter.error_stacktrace,
        "queue": letter.queue,
        "headers": headers,
    }
    return {key: value for key, value in error.items() if value}
