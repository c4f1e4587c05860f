"""A dead letter's versions on its page: the person, the time, the reason and the change."""

from itertools import pairwise
from typing import Any

from dlqconsole.console.masking.texts import ShownTexts, shown_difference
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Editable
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.gate import Shown
from dlqconsole.processing.differences import difference


def letter_versions(letter: Editable, texts: ShownTexts) -> list[dict[str, Any]]:
    """Newest first, each with ``difference`` to the one before; None if none can be shown."""
    rows = [_version_row(row, letter, texts) for row in editing.versions(letter.id)]
    for newer, older in pairwise(rows):
        if len(newer["text"]) <= SHOWN and len(older["text"]) <= SHOWN:
            newer["difference"] = shown_difference(difference(older["text"], newer["text"]))
            headers = difference(older["headers"], newer["headers"])
            newer["headers_difference"] = shown_difference(headers)
    return rows


def _version_row(row: dict[str, Any], letter: Editable, texts: ShownTexts) -> dict[str, Any]:
    text = row["text"]
    raw = row["raw"] or b""
    return {
        "number": row["number"],
        "at": row["created_at"] if row["number"] else None,
        "actor": row["actor"],
        "reason": row["reason"],
        "operation_id": row["operation_id"],
        "text": Shown(texts.content(bytes(raw)).decode("utf-8", "replace"))
        if text is None
        else texts.pretty(text),
        "headers": texts.pretty(row["headers"]),
        "is_current": row["number"] == letter.payload_version,
        "difference": None,
        "headers_difference": None,
    }
