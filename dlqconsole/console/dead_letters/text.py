"""A dead letter as a line of text, and the output of an export, for the command line."""

import json
import os
import shutil
import stat
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.processing.texts import visible

_COLUMNS = (
    ("id", 10), ("created_at", 20), ("status", 12), ("error_category", 11), ("event_type", 28),
    ("reason_excerpt", 90),
)  # fmt: skip
# columns that only this code writes; every other text may hold anything
_OURS = ("status", "error_category", "payload_preview")
# names below these stand for something that is open: /dev/stdout, /proc/self/fd/3
_OPEN_ALREADY = ("/dev/", "/proc/")

STANDARD_OUTPUT = "-"


def as_text(row: Mapping[str, Any]) -> str:
    """The list's columns side by side; a terminal's control characters are shown, not obeyed."""
    return " ".join(f"{_cell(row[name], width):<{width}}" for name, width in _COLUMNS).rstrip()


def as_json(row: Mapping[str, Any]) -> str:
    """The row as one JSON object. ASCII only, so that every reader sees one line."""
    return json.dumps({name: _plain(value) for name, value in row.items()})


def as_whole_json(row: Mapping[str, Any], payload: Mapping[str, Any]) -> str:
    """The row with its headers and payload as one JSON object on one line.

    They are put in as text: through Python their numbers could change. ``payload_raw_base64`` is added if
    JSONB cannot represent the exact bytes.
    """
    members = [as_json(row)[:-1], f'"headers": {_on_one_line(payload["headers"])}']
    members.append(f'"payload": {_on_one_line(payload["text"] or "null")}')
    if payload["raw"] is not None:
        members.append(f'"payload_raw_base64": "{b64encode(bytes(payload["raw"])).decode()}"')
    return ", ".join(members) + "}"


def mask_row(row: Mapping[str, Any], texts: ShownTexts) -> dict[str, Any]:
    """The row as a person may see it."""
    text_columns = {
        name: texts.text(value) for name, value in row.items() if isinstance(value, str) and name not in _OURS
    }
    return {**row, **text_columns, "payload_preview": texts.beginning(row["payload_preview"] or "")}


def mask_payload(payload: Mapping[str, Any], texts: ShownTexts) -> dict[str, Any]:
    """The payload and headers as a person may see them."""
    raw = payload["raw"]
    return {
        **payload,
        "headers": texts.json(payload["headers"]),
        "text": payload["text"] and texts.json(payload["text"]),
        "raw": None if raw is None else texts.content(bytes(raw)),
    }


def _on_one_line(text: str) -> str:
    """JSON without characters that a terminal obeys or hides: they can only stand inside strings."""
    if text.isprintable():
        return text
    return text.translate({ord(each): json.dumps(each)[1:-1] for each in set(text) if not each.isprintable()})


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: Any, width: int) -> str:
    text = f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else str(value)
    text = visible(" ".join(text.split()))
    return text if len(text) <= width else text[: width - 1] + "…"


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """The standard output, or a file that appears once it is complete: Ctrl-C leaves none. Raises OSError."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(path) as out:
            yield out
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted: nothing was exported to {visible(path)}.") from None


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Write a file beside the place where it belongs; it takes that place when the block has ended well.

    A pipe, a device and what else is no plain file is written to as it is. Raises OSError.
    """
    if _is_written_to_as_it_is(path):
        with open(path, "wb") as out:
            yield out
        return
    # a link goes on to point to it
    target = Path(os.path.realpath(path))
    beside = target.with_name(f"{target.name[:200]}.{os.getpid()}.part")
    try:
        with open(beside, "xb") as out:
            yield out
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = path  # of the other nobody has heard
        raise


def _is_written_to_as_it_is(path: str) -> bool:
    if os.path.abspath(path).startswith(_OPEN_ALREADY):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
