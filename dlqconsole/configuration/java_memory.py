"""An amount of memory as Java's options have it: ``1g``, ``512m``."""

import re

_FORM = re.compile(r"(\d+)\s*([kmgt]?)b?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def read_memory(text: str) -> int:
    """Return the bytes. Raises ValueError."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError("Write it like 1g or 1536m")
    return int(match[1]) * _UNITS[match[2].lower()]
