"""A dead letter as a line of text, for the command line."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dlqconsole.console.hidden_characters import visible

_COLUMNS = (
    ("id", 10), ("created_at", 20), ("status", 12), ("error_category", 11), ("event_type", 28),
    ("reason_excerpt", 90),
)  # fmt: skip


def as_text(row: Mapping[str, Any]) -> str:
    """The list's columns side by side; a terminal's control characters are shown, not obeyed."""
    return " ".join(f"{_cell(row[name], width):<{width}}" for name, width in _COLUMNS).rstrip()


def as_json(row: Mapping[str, Any]) -> str:
    """The row as one JSON object. ASCII only, so that every reader sees one line."""
    return json.dumps({name: _plain(value) for name, value in row.items()})


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: Any, width: int) -> str:
    text = f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else str(value)
    text = visible(" ".join(text.split()))
    return text if len(text) <= width else text[: width - 1] + "…"
