"""A payload on a page: its exact text, cut at a limit that the page names."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.gate import Shown

_HEX_BYTES = 4096
_NO_HEADERS = (None, "", "{}", "null")


def shown_payload(payload: Mapping[str, Any], texts: ShownTexts, download_url: str = "") -> dict[str, Any]:
    """``text``, ``truncated``, ``size`` in bytes, ``state`` (json or raw), ``hex``, ``download_url``.

    ``state`` is raw if only bytes are stored; ``also_raw`` says that the JSON is a searchable copy of bytes
    that JSONB cannot represent exactly.
    """
    is_json = payload["text"] is not None
    raw = texts.content(bytes(payload["raw"] or b""))
    return {
        "state": "json" if is_json else "raw",
        "text": texts.pretty(payload["text"], SHOWN) if is_json else Shown(raw.decode("utf-8", "replace")),
        "size": payload["text_size"] if is_json else payload["raw_size"] or 0,
        "truncated": len(payload["text"]) >= SHOWN if is_json else len(payload["raw"] or b"") >= SHOWN,
        "also_raw": is_json and payload["raw"] is not None,
        "hex": Shown(_hex(raw[:_HEX_BYTES])),
        "download_url": download_url,
    }


def headers_text(payload: Mapping[str, Any], texts: ShownTexts) -> Shown:
    """The headers, set out for reading; empty if there are none."""
    return Shown() if payload["headers"] in _NO_HEADERS else texts.pretty(payload["headers"], SHOWN)


def _hex(content: bytes) -> str:
    rows = (content[start : start + 16] for start in range(0, len(content), 16))
    return "\n".join(_hex_row(number * 16, row) for number, row in enumerate(rows))


def _hex_row(offset: int, row: bytes) -> str:
    ascii = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
    return f"{offset:08x}  {row.hex(' '):<47}  {ascii}"
