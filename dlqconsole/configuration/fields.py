"""The fields that settings are declared by."""

from typing import Any

from pydantic import Field

DAY = 86_400
CENTURY = 36_500  # days
MEBIBYTE = 1024 * 1024


def number(default: int, low: int, high: int, meaning: str) -> Any:
    """A whole number from ``low`` to ``high``, both included."""
    return Field(default, ge=low, le=high, description=meaning)


def setting(default: Any, meaning: str, shown_default: str = "") -> Any:
    """Any other setting. ``shown_default``: the default in words, for the table; ``...``: it is required."""
    return Field(default, description=meaning, json_schema_extra={"shown": shown_default})


def split(text: Any) -> Any:
    """Cut a text at its commas, without spaces and empty parts."""
    return [part.strip() for part in text.split(",") if part.strip()] if isinstance(text, str) else text
