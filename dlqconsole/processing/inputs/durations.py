"""Lengths of time as people type them."""

import re
from datetime import timedelta

_LENGTH = re.compile(r"([0-9]{1,5})\s*(m|h|d|w)", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def as_duration(text: str) -> timedelta | None:
    """90m, 24h, 7d or 2w; None for anything else."""
    found = _LENGTH.fullmatch(text)
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None
