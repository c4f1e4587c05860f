"""Lines that have broken pipelines before, and what must become of each."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import orjson

LIMIT = 1024 * 1024


@dataclass(frozen=True)
class Hostile:
    """One line: its bytes, the class of its error (None: enriched), and the status it is kept in."""

    name: str
    line: bytes
    error: str | None
    status: str | None = "QUARANTINED"


def event(identity: str | None = "1", kind: str = "order.created", **data: object) -> bytes:
    """A CloudEvent as a producer would write it."""
    made = {"specversion": "1.0", "id": identity, "source": "shop", "type": kind, "data": data}
    return orjson.dumps({name: value for name, value in made.items() if value is not None})


def _with(text: str) -> bytes:
    """An event that is well formed but for what its data holds."""
    return (
        b'{"specversion":"1.0","id":"x","source":"shop","type":"order.created","data":' + text.encode() + b"}"
    )


LINES = [
    Hostile("good", event("good", order_id=1), None, None),
    Hostile("malformed", b'{"specversion": "1.0", broken', "MalformedEvent"),
    Hostile("raw NUL", b'{"a": "x\x00y"}', "MalformedEvent"),
    Hostile("escaped NUL", _with('{"a": "x\\u0000y"}'), "MalformedEvent"),
    Hostile("invalid UTF-8", b'{"a": "\xff\xfe"}', "MalformedEvent"),
    Hostile("lone surrogate", _with('{"a": "\\ud800"}'), "MalformedEvent"),
    Hostile("number out of range", _with('{"a": 1e400}'), "MalformedEvent"),
    Hostile("duplicate keys", _with('{"a": 1, "a": 2}'), "MalformedEvent"),
    Hostile("two documents", b'{"a": 1} {"b": 2}', "MalformedEvent"),
    Hostile("array", b"[1, 2]", "NoHandler", "PENDING"),
    Hostile("scalar", b"5", "NoHandler", "PENDING"),
    Hostile("plain object", b'{"order_id": 1}', "NoHandler", "PENDING"),
    Hostile("byte order mark", b"\xef\xbb\xbf" + event("bom", order_id=2), None, None),
    Hostile("carriage return", event("crlf", order_id=3) + b"\r", None, None),
    Hostile("unknown type", event("unknown", "order.lost"), "NoHandler", "PENDING"),
    Hostile("too large", event("large", filler="x" * LIMIT), "PayloadTooLarge"),
    Hostile("no id", event(None, order_id=4), "MalformedEvent"),
    Hostile("too deep", b"[" * 5000 + b"]" * 5000, "PayloadTooLarge"),
    Hostile("NaN", b'{"a": NaN}', "MalformedEvent"),
    Hostile(
        "ANSI and quotes", event("ansi", do="business", tailnum="\x1b[31m'\"\\"), "PlaneUnknown", "PENDING"
    ),
    Hostile("exact number", _with('{"order_id": 12345678901234567890.123456789}'), None, None),
    Hostile("schema", event("schema", "order.checked", total="ten"), "SchemaViolation", "PENDING"),
    Hostile("waits", event("waits", do="dependency"), "BillingAway", "PENDING"),
    Hostile("last, without a line feed", event("last", order_id=5), None, None),
]
BLANK = (b"", b"   ", b"\t\r")


def write_corpus(folder: Path) -> None:
    """hostile.jsonl, with blank lines in it, and files that are no files of lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [hostile.line for hostile in LINES]
    (folder / "hostile.jsonl").write_bytes(b"\n".join([*lines[:3], *BLANK, *lines[3:]]))
    (folder / "empty.jsonl").write_bytes(b"")
    whole = gzip.compress(event("never") * 2000)
    (folder / "truncated.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "fake.jsonl.gz").write_bytes(b"this is no gzip")
    (folder / "good.jsonl.gz").write_bytes(gzip.compress(event("packed", order_id=6) + b"\n"))
    (folder / "_unfinished.jsonl").write_bytes(b"not to be read")
    (folder / "notes.txt").write_bytes(b"not to be read")


FILES_DEAD = 2
PACKED = 1


def line_numbers() -> dict[str, int]:
    """At which line of hostile.jsonl each of them stands."""
    return {
        hostile.name: index + 1 + (len(BLANK) if index >= 3 else 0) for index, hostile in enumerate(LINES)
    }
