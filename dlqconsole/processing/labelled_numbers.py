"""Numbers that only the word before them tells: ``ssn 536228703``, ``msisdn 4915112345678``."""

import re
from collections.abc import Callable

_WORDED = re.compile(
    r"(?:(?P<ssn>ssn|social security(?: number| no\.?)?)|msisdn|phone(?: number)?|telephone|mobile)"
    r"(?: is| was|:| no\.?)?[ :#=-]{1,3}(?P<number>[0-9]{9,15})(?!\w)",
    re.IGNORECASE,
)
_WORDS = ("ssn", "social", "msisdn", "phone", "mobile")
_DIGITS_OF_SSN = 9


def mask_labelled(text: str, replace: Callable[[str, str], str]) -> str:
    """Replace the numbers by ``replace(kind, number)``."""
    return _WORDED.sub(lambda match: _mask(match, replace), text) if may_hold(text) else text


def may_hold(text: str) -> bool:
    """A quick look: False where there certainly is none."""
    lower = text.lower()
    return any(word in lower for word in _WORDS) and _WORDED.search(text) is not None


def _mask(match: re.Match[str], replace: Callable[[str, str], str]) -> str:
    number = match["number"]
    is_ssn = match["ssn"] is not None
    if is_ssn != (len(number) == _DIGITS_OF_SSN):
        return match[0]
    return match[0][: -len(number)] + replace("national id" if is_ssn else "phone", number)
