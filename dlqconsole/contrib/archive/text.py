"""An archived dead letter as a line of text or of JSON, masked."""

import json
from typing import Any

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.engine.dead_letters.excerpts import REASON
from dlqconsole.engine.gate import MARGIN, Shown

_NAMES = ("event_type", "queue", "source", "source_key")


def mask_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the archive as everybody may see it, with the beginning of its reason."""
    texts = masked_texts()
    return {
        **{name: row[name] for name in ("id", "status", "error_category", "created_at")},
        **{name: texts.text(row[name] or "") for name in _NAMES},
        "error_reason": texts.beginning_of((row["error_reason"] or "")[: REASON + MARGIN], REASON),
    }


def as_line(row: dict[str, Any]) -> Shown:
    """``42  DISCARDED  2026-01-31  order.created  shop  order-7  Refused: no``."""
    letter = mask_row(row)
    parts = [letter["id"], letter["status"], f"{letter['created_at']:%Y-%m-%d}", letter["event_type"]]
    parts += [letter["source"] or "-", letter["source_key"] or "-", " ".join(letter["error_reason"].split())]
    return Shown("  ".join(map(str, parts)))


def as_json(row: dict[str, Any]) -> Shown:
    """One object in one line."""
    letter = mask_row(row)
    return Shown(json.dumps(letter | {"created_at": letter["created_at"].isoformat()}, ensure_ascii=False))
