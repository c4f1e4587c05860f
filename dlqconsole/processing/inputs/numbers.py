"""Numbers as people type them. Digits are ASCII: other scripts' would pass Python's int()."""

import math
import re
from decimal import Decimal
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import Sentence, gettext_noop

LARGEST = 2**63 - 1  # PostgreSQL's bigint
_LONGEST = 40
_NO_NUMBER = gettext_noop("{what} must be a number, not {text}.")
_NOT_WHOLE = gettext_noop("{what} must be a whole number, not {text}.")
_BETWEEN = gettext_noop("{what} must be between {low:,} and {high:,}, not {text}.")
# 14,212 and 14 212, also with the spaces that pages put between thousands
_SEPARATORS = str.maketrans("", "", ", \u00a0\u202f")
_MEASURE = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")

_DECIMAL = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_DIGITS = 300


def as_id(text: str, most: int = LARGEST) -> int | None:
    """A row's number as an address holds it: digits and nothing else. None for what is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        return None
    number = int(text)
    return number if number <= most else None


def as_count(text: str, most: int = LARGEST) -> int | None:
    """A whole number as a person types it: 14212, 14,212 or 14 212. None for what is none."""
    return as_id(text.translate(_SEPARATORS), most)


def as_measure(text: str) -> float | None:
    """A finite number, perhaps with a fraction: 0.5, 1e3. None for what is none."""
    text = text.strip()
    if len(text) > _LONGEST or not _MEASURE.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def as_decimal(text: str) -> str | None:
    """A number of any length in one form: 1e3 is 1000, .50 is 0.5. None for what is none, 007 too.

    Raises OverflowError where a side of the point has more than 300 digits.
    """
    match = _DECIMAL.fullmatch(text)
    if not match:
        return None
    if abs(int(match[1] or 0)) > _DIGITS:
        raise OverflowError
    whole, _point, fraction = f"{Decimal(text):f}".partition(".")
    fraction, sign = fraction.rstrip("0"), "-" if whole.startswith("-") else ""
    whole = whole.lstrip("-0") or "0"
    if len(whole) > _DIGITS + 1 or len(fraction) > _DIGITS:
        raise OverflowError
    number = f"{whole}.{fraction}" if fraction else whole
    return number if number == "0" else sign + number


def read_count(text: str, what: str, low: int = 0, high: int = LARGEST) -> int:
    """A whole number between two bounds. Raises InvalidInput, a sentence that begins with ``what``."""
    number = as_count(text)
    if number is None:
        if _is_digits(text.lstrip("-")):
            raise InvalidInput(_between(what, low, high, quoted(text)))
        raise InvalidInput(Sentence(_NOT_WHOLE, what=what, text=quoted(text)))
    check_bounds(number, what, low, high)
    return number


def read_measure(text: str, what: str, low: float, high: float) -> float:
    """A number between two bounds, perhaps with a fraction. Raises InvalidInput."""
    number = as_measure(text)
    if number is None:
        raise InvalidInput(Sentence(_NO_NUMBER, what=what, text=quoted(text)))
    check_bounds(number, what, low, high)
    return number


def check_number(value: Any, what: str, low: float, high: float, *, whole: bool) -> None:
    """The same of a number that a program gives. Raise InvalidInput."""
    # a whole number may be too large to ask whether it is finite
    is_number = type(value) is int or (isinstance(value, float) and math.isfinite(value))
    if is_number and not (whole and value % 1):
        return check_bounds(value, what, low, high)
    raise InvalidInput(Sentence(_NOT_WHOLE if whole else _NO_NUMBER, what=what, text=quoted(str(value))))


def check_bounds(number: float, what: str, low: float, high: float) -> None:
    """Raise InvalidInput unless ``low`` ≤ number ≤ ``high``."""
    if not low <= number <= high:
        raise InvalidInput(_between(what, low, high, f"{number:,}"))


def _between(what: str, low: float, high: float, text: str) -> Sentence:
    """Fits behind one thing and behind many: "The hours must be between 1 and 720"."""
    return Sentence(_BETWEEN, what=what, low=low, high=high, text=text)


def _is_digits(text: str) -> bool:
    """Tell whether it is a whole number, though perhaps one that is too large for any column."""
    digits = text.translate(_SEPARATORS)
    return digits.isascii() and digits.isdigit()
