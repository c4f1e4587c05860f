"""Twelve kinds of dead letter that have broken a console before, each as plain SQL would insert it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.sizes import sized

# what no index row holds and no compression shrinks: characters drawn by lot, the same in every run
_LOT = random.Random(4)


def _noise(length: int) -> str:
    return "".join(map(chr, _LOT.choices(range(0x4E00, 0x9FFF), k=length)))


def _keys(number: int) -> str:
    return "{" + ",".join(f'"k{n}":{n}' for n in range(number)) + "}"


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


FOUR_BYTES = "\U0001f9ea" * 255
_HOSTILE = "\\u0001\\u001b[31m\u202e\u2066\u0085\u2028<script>alert(1)</script>'\\\"{{ 7 }}"


@dataclass(frozen=True)
class Kind:
    """One kind: ``make`` gives the columns in which its row differs from a healthy one.

    ``heals``: its payload is sound, so that its handler succeeds. ``unhandled``: its type has no handler, so
    that it stays what it is. ``is_long``: its payload is longer than a
    page shows.
    """

    make: Callable[[], dict[str, Any]]
    heals: bool = False
    unhandled: bool = False
    is_long: bool = False

    @cached_property
    def columns(self) -> dict[str, Any]:
        """Made when a test asks: those who only collect tests need not wait for megabytes."""
        return self.make()


def _raw(content: bytes, **more: Any) -> Kind:
    return Kind(lambda: {"payload": None, "payload_raw": content}, **more)


KINDS = {
    "a NUL": _raw(b'{"order_id": "x\\u0000y"}'),
    "beyond floats": Kind(lambda: {"payload": '{"order_id": 1e400}'}),
    "5,000 digits": Kind(lambda: {"payload": '{"order_id": %s}' % ("7" * 5000)}),
    "a number that swells": Kind(lambda: {"payload": '{"order_id": 1e131071}'}),
    "5,000 levels": Kind(lambda: {"payload": _nested(5000)}),
    "50,000 levels": _raw(_nested(50_000).encode()),
    "a key twice": Kind(
        lambda: {"payload": '{"order_id": 2}', "payload_raw": b'{"order_id": 1, "order_id": 2}'},
    ),
    "no UTF-8": _raw(b'\xff\xfe{"order_id"\x00\x80: 1}'),
    "150,000 keys": Kind(lambda: {"payload": _keys(150_000)}, is_long=True),
    "long hostile texts": Kind(
        lambda: {
            "payload": f'{{"order_id": 1, "text": "{_HOSTILE * 9_000}"}}',
            "error_reason": f"Refused: billing said no \x1b[31m\u202e<img src=x> {_noise(300_000)}",
            # beyond a mebibyte, as few limits are
            "error_stacktrace": "<b>\x1b[1m\u202e" + "at row \r\n" * sized(150_000, 600_000),
        },
        heals=True,
        is_long=True,
    ),
    "the longest names": Kind(
        lambda: {
            "event_type": FOUR_BYTES,
            "queue": FOUR_BYTES,
            "source": FOUR_BYTES,
            "source_key": FOUR_BYTES,
            "group_key": FOUR_BYTES,
        },
        unhandled=True,
    ),
    "of other ages": Kind(
        lambda: {"revived_at": "1900-01-02 00:00+00", "lease_until": "9998-12-31 23:00+00"}, heals=True
    ),
    "200,000 headers": Kind(lambda: {"headers": _keys(200_000)}, heals=True),
    "deep headers": Kind(lambda: {"headers": f'{{"a": {_nested(5000)}}}'}),
    "headers beyond floats": Kind(lambda: {"headers": '{"a": 1e400}'}),
}
