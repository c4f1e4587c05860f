"""The result of the reader of payloads."""

from dataclasses import dataclass
from typing import Any

from .errors import MalformedEvent, PayloadTooLarge

OK = "ok"
SANITISED = "sanitised"
UNPARSABLE = "unparsable"
TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class Decoded:
    """One payload, read strictly.

    `state`: `ok` (the value is what was sent), `sanitised` (`json_text` is a searchable copy that
    differs from what was sent: a NUL, an unpaired surrogate, a key written twice), `unparsable`, or
    `too_large` (bytes, depth or keys). Only an `ok` payload should reach a handler: see `require`.
    `json_text`: safe for a jsonb column; None when jsonb must not hold this payload.
    `value`: parsed. Numbers that a float cannot hold exactly are Decimal.
    `raw`: the bytes as they came, whenever jsonb cannot give back the same values.
    `problem`: one sentence with line, column and byte. An `ok` payload has one only for a byte
    order mark that was removed.
    """

    state: str
    value: Any = None
    json_text: str | None = None
    raw: bytes | None = None
    problem: str | None = None

    def require(self) -> Any:
        """Return the value of an `ok` payload; raise MalformedEvent or PayloadTooLarge otherwise."""
        if self.state == OK:
            return self.value
        raise (PayloadTooLarge if self.state == TOO_LARGE else MalformedEvent)(self.problem)
