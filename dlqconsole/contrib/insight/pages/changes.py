"""Changes in payloads as rows: the change, its path, its time, and the number of payloads."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.contrib.insight.models import PayloadChange

_AFTER = {
    "text": "text",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "list": "a list",
    "object": "an object",
}


def change_rows(changes: Iterable[PayloadChange]) -> list[dict[str, Any]]:
    """Each change in words, with its evidence."""
    return [_row(change) for change in changes]


def _row(change: PayloadChange) -> dict[str, Any]:
    return {
        "event_type": change.event_type,
        "path": change.path,
        "says": _words(change),
        "hour": change.hour,
        "kind": change.kind,
        "before": _percent(change.share_before),
        "after": _percent(change.share_after),
        "payloads": change.payloads,
        "payloads_before": change.payloads_before,
        "url": list_url(urlencode({"type": change.event_type, "since": f"{change.hour:%Y-%m-%dT%H:%M}"})),
    }


def _words(change: PayloadChange) -> str:
    if change.kind != "became":
        return "appeared" if change.kind == "appeared" else "vanished"
    before, after = (_AFTER.get(kind, kind) for kind in (change.before, change.after))
    return f"became {after}; it was {before}"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
