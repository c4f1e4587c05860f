"""A report: what is kept in the spool, and sent to the console."""

from __future__ import annotations

import datetime
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import clean, described
from .values import encode

Report = dict[str, Any]

_NAME_LIMIT, MOST_PROBLEMS = 512, 100


@dataclass(frozen=True)
class Origin:
    """Where the reports of this program come from."""

    source: str
    release: str | None
    host: str
    with_locals: bool


def failure(
    origin: Origin,
    error: BaseException,
    event: object,
    *,
    type: str | None = None,
    source: str | None = None,
    key: str | None = None,
    queue: str | None = None,
    category: str | None = None,
    headers: Mapping[str, Any] | None = None,
    traceparent: str | None = None,
) -> Report:
    """Return the event with its error, in the form of the console's API: the data alone is its payload.

    An event that is a CloudEvent itself names its type, source and id. Without a key, the failure is an event
    of its own.
    """
    own: Mapping[Any, Any] = event if isinstance(event, dict) and "specversion" in event else {}
    number = str(uuid.uuid4())
    data, problems = encode(event)
    # what a revival does not take along begins with dlq_
    notes = {
        "traceparent": traceparent or active_trace(),
        "dlq_failed_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "dlq_release": origin.release,
        "dlq_host": origin.host,
        "dlq_not_revivable": problems[:MOST_PROBLEMS],
    }
    given = encode(dict(headers or {}))[0]
    return {
        "id": _name(key, own.get("id"), number),
        "source": _name(source, own.get("source"), origin.source),
        "type": _name(type, own.get("type"), "unknown")[:255],
        "data": data,
        "error": {
            **described(error, category, origin.with_locals),
            **({"queue": queue} if queue else {}),
            "headers": {**given, **{name: value for name, value in notes.items() if value}},
            "report": number,
        },
    }


def recovery(origin: Origin, source: str | None, key: str) -> Report:
    """Return the report of a success of what had failed before."""
    return {"recovered": {"source": _name(source, None, origin.source), "key": _name(key, None, "")}}


def _name(*choices: object) -> str:
    text = next(str(choice) for choice in choices if choice is not None)
    return clean(text, _NAME_LIMIT)[:_NAME_LIMIT]


def active_trace() -> str | None:
    """Return the W3C traceparent of OpenTelemetry's span around this, if the program uses it."""
    telemetry = sys.modules.get("opentelemetry.trace")
    if telemetry is None:
        return None
    span = telemetry.get_current_span().get_span_context()
    return (
        f"00-{span.trace_id:032x}-{span.span_id:016x}-{int(span.trace_flags):02x}" if span.is_valid else None
    )
