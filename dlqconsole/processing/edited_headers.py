"""The headers that a person may change, and the rules for what a header may hold."""

import re
from collections.abc import Mapping
from typing import Any

from . import exact_json
from .edited_payload import EditRefused
from .inputs.plain_text import quoted

MOST = 100
LONGEST_NAME = 255
LONGEST_VALUE = 8 * 1024
# The event's identity, its way, and how to read it: set by machines, and read by machines.
_PROTECTED_STARTS = (
    "ce_", "ce-", "cloudevents", "dlq_", "dlq-", "x-death", "x-first-death", "x-last-death", "x-delivery",
)  # fmt: skip
_UNSTORABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_PROTECTED = {
    "traceparent", "tracestate", "baggage", "content-type", "content-encoding", "datacontenttype",
    "message-id", "correlation-id",
}  # fmt: skip


def is_protected(name: str, value: Any = "") -> bool:
    """Tell whether only machines change it. A value that is no text is protected, too."""
    lower = name.lower()
    return not isinstance(value, str) or lower in _PROTECTED or lower.startswith(_PROTECTED_STARTS)


def rows(json_text: str) -> list[tuple[str, str, bool]]:
    """The stored headers as name, text and whether it is protected, in the database's order."""
    return [
        (name, value if isinstance(value, str) else exact_json.dumps(value), is_protected(name, value))
        for name, value in exact_json.loads(json_text).items()
    ]


def replace_headers(json_text: str, new: Mapping[str, str]) -> str:
    """Return the headers, with ``new`` in place of all that a person may change, as JSON text.

    Raises EditRefused with a sentence for each header that may not be so.
    """
    before = exact_json.loads(json_text)
    ours = {name: value for name, value in before.items() if is_protected(name, value)}
    if problems := [problem for name, value in new.items() if (problem := _problem(name, value, ours))]:
        raise EditRefused(problems)
    if len(ours) + len(new) > MOST:
        raise EditRefused([f"These are {len(ours) + len(new):,} headers, more than {MOST}."])
    return exact_json.dumps(ours | dict(new))


def _problem(name: str, value: str, ours: Mapping[str, Any]) -> str:
    title = f"The header {quoted(name, 60)}"
    if not name or len(name) > LONGEST_NAME:
        return f"The name of a header has 1 to {LONGEST_NAME} characters."
    if name in ours or is_protected(name):
        return f"{title} is protected: it says which event this is, or how it came here."
    if _unstorable(name) or _unstorable(value):
        return f"{title} holds a line break or another character that a header cannot carry."
    if len(value.encode()) > LONGEST_VALUE:
        return f"{title} is longer than {LONGEST_VALUE // 1024} KB."
    return ""


def _unstorable(text: str) -> bool:
    return _UNSTORABLE.search(text) is not None
