"""Phone numbers as people write them at home: ``030 1234567``, ``(020) 7946 0018``, ``06 12 34 56 78``.

What could be one begins with a 0 and has separators; the registers of some countries say whether it is.
"""

import re
from functools import lru_cache

# where numbers at home begin with 0, those with the most people first
_REGIONS = ("DE", "GB", "FR", "JP", "IN", "CN", "AU", "NL", "TR", "PK", "NG", "ZA", "ID", "KR", "AT", "CH")
_DATE = r"(?![0-3][0-9][-./ ][01][0-9][-./ ](?:19|20)[0-9]{2}(?![0-9]))"
MAYBE = re.compile(
    r"(?<![\w.+/-])(?<![0-9] )"
    + _DATE
    + r"\(?0[1-9](?:[0-9]{0,4}[ ()/-]{1,2})(?:[0-9][ -]?){4,9}[0-9](?![\w:/.-])"
)
# what the quick look asks for, of bytes
QUICK = re.compile(rb"0(?<![0-9]0)[1-9][0-9]{0,4}[ ()/-]{1,2}(?:[0-9][ -]?){5}")


@lru_cache(maxsize=4096)
def is_phone(written: str) -> bool:
    """Whether it is somebody's number, or could be given to somebody, in one of the countries."""
    import phonenumbers  # only for texts that may hold one: its tables are large

    for region in _REGIONS:
        try:
            number = phonenumbers.parse(written, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number_for_region(number, region):
            return True
    return False
