"""Every transport's checks of a message before it is sent. Each refusal is one clear sentence."""

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.settings import limits
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.strict_json import Decoded

LONGEST_DELAY = 366 * 86_400.0


def sendable(payload: bytes | str) -> Decoded:
    """Decode the payload. Raises InvalidMessage when it is not JSON or too large."""
    content = decode(payload, limits())
    if content.state != "ok":
        raise InvalidMessage(f"The payload cannot be sent: {content.problem}.")
    return content


def sendable_call(payload: bytes | str) -> dict[str, Any]:
    """Return the call of a task: "args" is a list, and "kwargs" an object. Raises InvalidMessage."""
    call = json.loads(sendable(payload).json_text or "null")
    if (
        not isinstance(call, dict)
        or not isinstance(call.get("args"), list)
        or not isinstance(call.get("kwargs"), dict)
    ):
        raise InvalidMessage('Its payload must have "args", a list, and "kwargs", an object.')
    return call


def sendable_delay(seconds: float) -> float:
    """Return the delay. Raises InvalidMessage for one that is negative, endless or longer than a year."""
    if math.isnan(seconds) or not 0 <= seconds <= LONGEST_DELAY:
        raise InvalidMessage(f"A delay is between 0 and {LONGEST_DELAY:,.0f} seconds, not {seconds:g}.")
    return seconds


def sendable_headers(headers: Mapping[str, str] | None) -> str:
    """Return the headers as a JSON object's text. Raises InvalidMessage for what PostgreSQL cannot hold."""
    try:
        text = orjson.dumps(dict(headers or {})).decode()
    except TypeError as error:
        raise InvalidMessage(f"The headers cannot be sent: {error}.") from None
    if "\\u0000" in text:
        raise InvalidMessage("The headers cannot be sent: one of them has a NUL character in it.")
    return text
