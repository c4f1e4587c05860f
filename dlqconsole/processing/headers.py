"""A message's headers, read from the text that the database gives."""

from collections.abc import Mapping
from typing import Any

import orjson

from .errors import MalformedEvent
from .limits import Limits
from .payloads import decode


class UnreadableHeaders(dict[str, Any]):
    """Stands, empty, for headers that no reader can hold: they make their own message malformed, no other.

    jsonb takes more than Python does: 1e400, or thousands of levels.
    """

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem

    def refuse(self) -> None:
        """Raise MalformedEvent with the sentence."""
        raise MalformedEvent(f"the headers cannot be read: {self.problem}")


def read_headers(text: str) -> Mapping[str, Any]:
    """Read the text of a JSON object. Never raises: see UnreadableHeaders."""
    try:
        headers: dict[str, Any] = orjson.loads(text)
    except orjson.JSONDecodeError:
        result = decode(text, Limits(payload_bytes=4 * len(text)))
        return result.value if result.state == "ok" else UnreadableHeaders(str(result.problem))
    return headers


def with_headers(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Mapping[str, Any]:
    """Headers with more of ours; what cannot be read stays so."""
    return theirs if isinstance(theirs, UnreadableHeaders) else {**theirs, **ours}
