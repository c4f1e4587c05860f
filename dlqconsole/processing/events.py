"""An event as handlers see it: a CloudEvent 1.0, or a plain payload dressed as one."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import md5
from typing import Any, Self
from uuid import UUID, uuid5

import orjson

from .errors import MalformedEvent

# source and id together are a unique key in PostgreSQL, whose index rows end at 2,704 bytes.
ATTRIBUTE_LIMIT = 512
ATTRIBUTE_BYTES = 1_280

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
# Never changes: every key ever given depends on it.
_KEYS = UUID("5b0d9b0e-6a0f-5c54-9a5e-2f4c3a7b1d10")
_OWN_FIELDS = frozenset({"specversion", "id", "source", "type", "time", "subject", "data", "data_base64"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `time` is in UTC; `data` is whatever JSON the producer sent (None when absent).

    `extensions` holds the other CloudEvents attributes (`datacontenttype`, `traceparent`, …),
    `headers` the headers of the message that carried the event. `rehearsal`: the handler runs only to see
    what it would do; its record is kept nowhere, and it leaves out what it does to other systems.
    """

    id: str
    source: str
    type: str
    time: datetime | None = None
    data: Any = None
    headers: Mapping[str, Any] = field(default_factory=dict)
    specversion: str = "1.0"
    subject: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)
    rehearsal: bool = False

    @property
    def idempotency_key(self) -> str:
        """A UUID that is the same whenever this event is handled again: retried, redelivered or revived.

        UUID version 5 of source and id. An effect that keeps it under a unique key happens once.
        """
        return str(uuid5(_KEYS, f"{self.source}\n{self.id}"))

    @classmethod
    def from_payload(
        cls,
        payload: Any,
        headers: Mapping[str, Any] | None,
        *,
        queue: str,
        message_id: object,
        source: str | None = None,
    ) -> Self:
        """Read the event a message carries.

        A payload with `specversion` is a CloudEvent. Any other payload is the data of an event
        whose type is the header `ce_type` or else the queue's name, whose source is `ce_source` or
        else the given one or else `queue:<name>`, and whose id is `ce_id` or else the message's id.
        Raises MalformedEvent with a sentence that names the attribute.
        """
        headers = headers or {}
        if isinstance(payload, dict) and "specversion" in payload:
            return cls._from_cloudevent(payload, headers)
        return cls(
            id=_header(headers, "ce_id") or str(message_id),
            source=_header(headers, "ce_source") or source or f"queue:{queue}",
            type=_header(headers, "ce_type") or queue,
            time=_time(_header(headers, "ce_time")),
            data=payload,
            headers=headers,
        )

    @classmethod
    def _from_cloudevent(cls, payload: dict[str, Any], headers: Mapping[str, Any]) -> Self:
        if payload["specversion"] != "1.0":
            raise MalformedEvent(f"specversion must be '1.0', not {_quote(payload['specversion'])}")
        subject = payload.get("subject")
        return cls(
            _attribute(payload, "id"),
            _attribute(payload, "source"),
            _attribute(payload, "type"),
            _time(payload.get("time")),
            payload.get("data") if "data_base64" not in payload else _binary_data(payload),
            headers,
            "1.0",
            None if subject is None else _attribute(payload, "subject"),
            {name: payload[name] for name in payload.keys() - _OWN_FIELDS},
        )


def _attribute(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    if not isinstance(value, str) or not value:
        problem = f"not {_quote(value)}" if name in payload else "and it is missing"
        raise MalformedEvent(f"{name} must be a non-empty string, {problem}")
    return _within_limit(name, value)


def _header(headers: Mapping[str, Any], name: str) -> str | None:
    value = headers.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise MalformedEvent(f"header {name} must be a non-empty string, not {_quote(value)}")
    return _within_limit(f"header {name}", value)


def _within_limit(name: str, value: str) -> str:
    if len(value) > ATTRIBUTE_LIMIT:
        raise MalformedEvent(
            f"{name} is {len(value):,} characters long, more than {ATTRIBUTE_LIMIT}: {_quote(value)}"
        )
    if len(value) > ATTRIBUTE_BYTES // 4 and (size := len(value.encode())) > ATTRIBUTE_BYTES:
        raise MalformedEvent(f"{name} is {size:,} bytes long, more than {ATTRIBUTE_BYTES:,}: {_quote(value)}")
    return value


def _time(value: Any) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise MalformedEvent(f"time must be an RFC 3339 timestamp, not {_quote(value)}")
    if value[17:19] == "60":  # a leap second, which RFC 3339 allows and Python has no word for
        value = f"{value[:17]}59{value[19:]}"
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise MalformedEvent(f"time {_quote(value)} does not exist in the calendar") from None


def _binary_data(payload: dict[str, Any]) -> bytes:
    if "data" in payload:
        raise MalformedEvent("an event has either data or data_base64, not both")
    try:
        return base64.b64decode(payload["data_base64"], validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise MalformedEvent(f"data_base64 is not Base64: {_quote(payload['data_base64'])}") from None


def _quote(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


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
