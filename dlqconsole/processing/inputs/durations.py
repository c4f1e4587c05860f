"""Lengths of time as people type them."""

import re
from datetime import timedelta

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import quoted

_LENGTH = re.compile(r"([0-9]{1,5})\s*(m|h|d|w)", re.ASCII)
_WAIT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(s|m|h|d|w)", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def as_duration(text: str) -> timedelta | None:
    """90m, 24h, 7d or 2w; None for anything else."""
    match = _LENGTH.fullmatch(text)
    return timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else None


def read_wait(text: str, what: str) -> float:
    """A length of time in seconds: 90s, 6h, 1d. Raises InvalidInput, which begins with ``what``.

    Without a unit nobody knows which one was meant: two hours, and not two seconds.
    """
    match = _WAIT.fullmatch(text)
    if not match:
        raise InvalidInput(f"{what} is a length of time such as 30s, 90m or 6h; it is {quoted(text)}.")
    return float(match[1]) * _SECONDS[match[2]]


def as_wait(seconds: float) -> str:
    """The same the other way round, in the largest unit that leaves nothing over: ``6h``."""
    for unit, size in reversed(_SECONDS.items()):
        if seconds and not seconds % size:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"
