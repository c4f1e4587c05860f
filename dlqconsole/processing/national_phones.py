"""Phone numbers as people write them at home: ``030 1234567``, ``(020) 7946 0018``, ``06 12 34 56 78``;
and as they dial them from abroad: ``0044 20 7946 0958``.

What could be one begins with a 0 and has separators; the registers of some countries say whether it is.
"""

import re
from functools import lru_cache

# countries whose numbers begin with 0 at home, those with the most people first
_REGIONS = ("DE", "GB", "FR", "JP", "IN", "CN", "AU", "NL", "TR", "PK", "NG", "ZA", "ID", "KR", "AT", "CH")
_DATE = r"(?![0-3][0-9][-./ ][01][0-9][-./ ](?:19|20)[0-9]{2}(?![0-9]))"
MAYBE = re.compile(
    r"(?<![\w.+/-])(?<![0-9] )"
    + _DATE
    + r"\(?0[1-9](?:[0-9]{0,4}[ ()/-]{1,2})(?:[0-9][ -]?){3,8}[0-9]{2}(?![\w:/.-])"
)
FROM_ABROAD = re.compile(
    r"(?<![\w+.])(?<![0-9] )00[1-9][0-9]{0,3}[ .()/-]{1,2}(?:[0-9][ .()/-]{0,2}){4,11}[0-9](?![\w:])"
)
# for the quick look at bytes
_QUICK = re.compile(rb"0(?<![0-9]0)[1-9][0-9]{0,4}[ ()/-]{1,2}(?:[0-9][ -]?){5}")
_ABROAD = re.compile(rb"00(?<![0-9]00)[1-9][0-9]{0,3}[ .()/-]{1,2}[0-9]")


def may_hold(content: bytes) -> bool:
    """A quick look: False where there certainly is none."""
    return _QUICK.search(content) is not None or _ABROAD.search(content) is not None


@lru_cache(maxsize=4096)
def is_phone(number: str) -> bool:
    """Tell whether it is somebody's number, or could be given to somebody, in one of the countries."""
    if number.startswith("00"):
        return _is_valid("+" + number[2:], None)
    return any(_is_valid(number, region) for region in _REGIONS)


def _is_valid(text: str, region: str | None) -> bool:
    import phonenumbers  # only for texts that may hold one: its tables are large

    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return False
    if region is None:
        return phonenumbers.is_valid_number(number)
    return phonenumbers.is_valid_number_for_region(number, region)
