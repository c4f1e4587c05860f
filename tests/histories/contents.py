"""What events hold: of a few that name themselves, two payloads each; of others, each its own."""

from typing import NamedTuple

from hypothesis import strategies as st

from tests.plain_sql import value

SOURCE = "shop"
KEYS = ("a", "b")
UNREADABLE_BYTES = b"\xff"


class Content(NamedTuple):
    """A payload as it must be found: jsonb's own text of it, or else the exact bytes."""

    text: str | None
    raw: bytes | None = None


class Payload(NamedTuple):
    """A payload to send. ``key``: the event's own id; None for one that does not name itself."""

    body: str
    content: Content
    key: str | None = None


class Named(NamedTuple):
    """An event that names itself: which, and which of its two payloads."""

    key: str
    variant: int


EVENTS = st.sampled_from([*(Named(key, variant) for key in KEYS for variant in (1, 2)), "plain", "exact"])
# What plain SQL can put there, too.
BYTES = EVENTS | st.just("broken")


def payload(event: Named | str, serial: int) -> Payload:
    """The payload of a drawn event. ``serial`` tells apart those that do not name themselves."""
    if isinstance(event, Named):
        body = (
            f'{{"specversion": "1.0", "id": "{event.key}", "source": "{SOURCE}", "type": "order.created",'
            f' "data": {{"tag": "{event.key}{event.variant}", "exact": 12345678901234567890.10}}}}'
        )
        return Payload(body, as_stored(body), event.key)
    if event == "broken":
        return Payload("", Content(None, f"{{broken {serial}".encode() + UNREADABLE_BYTES))
    if event == "exact":  # jsonb has no -0, so the bytes are kept beside it
        body = f'{{"tag":"exact{serial}",  "zero":-0}}'
        return Payload(body, Content(as_stored(body).text, body.encode()))
    body = f'{{"tag": "plain{serial}", "twice": 1.0}}'
    return Payload(body, as_stored(body))


def as_stored(body: str) -> Content:
    """What jsonb makes of a text, by its own word."""
    return Content(value("SELECT %s::jsonb::text", body))


def content(text: str | None, raw: bytes | memoryview | None) -> Content:
    """What stands in a row."""
    return Content(text, None if raw is None else bytes(raw))
