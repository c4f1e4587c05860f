"""A payload on a page: its exact text, cut at a limit that the page names."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.gate import Shown

_HEX_BYTES = 4096
# lines: a browser lays out only the pieces that are seen
_PIECE = 500
_NO_HEADERS = (None, "", "{}", "null")


def shown_payload(
    payload: Mapping[str, Any], texts: ShownTexts, download_url: str = "", limit: int = SHOWN
) -> dict[str, Any]:
    """``text``, ``pieces`` (the same in parts), ``truncated``, ``size`` in bytes, ``state`` (json or raw),
    ``hex``, ``download_url``; ``url`` is that of ``payload_behind``.

    ``state`` is raw if only bytes are stored; ``also_raw`` says that the JSON is a searchable copy of bytes
    that JSONB cannot represent exactly. ``payload`` was cut at ``limit``.
    """
    is_json = payload["text"] is not None
    raw = texts.content(bytes(payload["raw"] or b""))
    text = texts.pretty(payload["text"], limit) if is_json else Shown(raw.decode("utf-8", "replace"))
    return {
        "state": "json" if is_json else "raw",
        "text": text,
        "pieces": _pieces(text),
        "size": _size(payload),
        "truncated": len(payload["text"] if is_json else payload["raw"] or b"") >= limit,
        "also_raw": is_json and payload["raw"] is not None,
        "hex": Shown(_hex(raw[:_HEX_BYTES])),
        "download_url": download_url,
        "url": "",
    }


def payload_behind(payload: Mapping[str, Any], url: str, download_url: str) -> dict[str, Any]:
    """The place of a long payload, which the page fetches from ``url``: masking it takes a second or two."""
    return {"size": _size(payload), "url": url, "download_url": download_url}


def _pieces(text: str) -> list[Shown]:
    lines = text.splitlines(keepends=True)
    return [Shown("".join(lines[start : start + _PIECE])) for start in range(0, len(lines), _PIECE)]


def _size(payload: Mapping[str, Any]) -> int:
    return int((payload["raw_size"] if payload["text"] is None else payload["text_size"]) or 0)


def headers_text(payload: Mapping[str, Any], texts: ShownTexts, limit: int = SHOWN) -> Shown:
    """The headers, set out for reading; empty if there are none."""
    return Shown() if payload["headers"] in _NO_HEADERS else texts.pretty(payload["headers"], limit)


def _hex(content: bytes) -> str:
    rows = (content[start : start + 16] for start in range(0, len(content), 16))
    return "\n".join(_hex_row(number * 16, row) for number, row in enumerate(rows))


def _hex_row(offset: int, row: bytes) -> str:
    ascii = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
    return f"{offset:08x}  {row.hex(' '):<47}  {ascii}"
