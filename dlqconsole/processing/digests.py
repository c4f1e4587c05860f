"""A digest of an event's content, which tells two events under one source and id apart."""

import json
from hashlib import md5
from typing import Any

import orjson


def event_digest(value: Any, raw: bytes | None) -> str:
    """32 hexadecimal digits, the same whoever reads the event, from a queue, a file or a table.

    ``raw``: its exact bytes, where those are kept, and are compared. Else the payload's ``value`` is: the
    order of keys and the spaces between words make no other event, 1 and 1.0 do.
    """
    return md5(_canonical(value) if raw is None else raw, usedforsecurity=False).hexdigest()


def _canonical(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # numbers that no float and no 64 bits can hold
        return json.dumps(
            value, sort_keys=True, separators=(",", ":"), default=lambda one: [str(one)]
        ).encode()
