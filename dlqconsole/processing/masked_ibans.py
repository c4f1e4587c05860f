"""IBANs, as banks print them and as programs write them: with spaces, dashes or dots, in small letters."""

import re
from collections.abc import Callable
from functools import cache

from stdnum import iban, numdb
from stdnum.iso7064 import mod_97_10

# Looked for at each place, not only behind the one before: what is none may run on into one that is.
# In small letters many words look like one: digits have to follow soon.
_MAYBE = re.compile(
    r"(?<![A-Za-z0-9])(?=([A-Z]{2}[0-9]{2}(?:[ .-]?[A-Z0-9]){11,30}"
    r"|[a-z]{2}[0-9]{2}[ .-]?(?:[a-z]{1,4}[ .-]?)?(?=(?:[0-9][ .-]?){6})(?:[ .-]?[a-z0-9]){7,30}))"
)
# the parts of a country's numbers: "8!n10!n"
_PART = re.compile(r"([0-9]+)!")
_BETWEEN = " .-"
# for the quick look: capitals are A, small letters b, digits 0
_CAPITALS = re.compile(rb"AA00(?:[ .-]?[A0]){11}")
_SMALL = re.compile(rb"bb00[ .-]?(?:b{1,4}[ .-]?)?(?:0[ .-]?){6}")


def may_look_like_iban(shape: bytes) -> bool:
    """A quick look: False where there certainly is none."""
    return _CAPITALS.search(shape) is not None or _SMALL.search(shape) is not None


def mask_ibans(text: str, replace: Callable[[str, str], str]) -> str:
    """Replace each by ``replace("iban", written)``."""
    pieces, position = [], 0
    for match in _MAYBE.finditer(text):
        end = match.start() + _length_of(match[1]) if match.start() >= position else 0
        if end > match.start():
            pieces += [text[position : match.start()], replace("iban", text[match.start() : end])]
            position = end
    return "".join((*pieces, text[position:]))


def _length_of(text: str) -> int:
    """Return the length of the IBAN that this begins with; 0: none. It may run on into the words behind."""
    length = _country_length(text[:2].upper())
    end, length_so_far = 0, 0
    while end < len(text) and length_so_far < length:
        length_so_far += text[end] not in _BETWEEN
        end += 1
    if not length or length_so_far < length or text[end : end + 1].isalnum():
        return 0
    number = "".join(character for character in text[:end] if character not in _BETWEEN).upper()
    is_iban = mod_97_10.is_valid(number[4:] + number[:4])
    # with another look than a bank's it must have the country's form, too
    is_plain = text[0].isupper() and not {"-", "."}.intersection(text[:end])
    return end if is_iban and (is_plain or iban.is_valid(number, check_country=False)) else 0


@cache
def _country_length(country: str) -> int:
    """Return the length of a country's IBANs, by the registry that stdnum keeps; 0: it has none."""
    parts = numdb.get("iban").info(country)[0][1].get("bban", "")
    return 4 + sum(map(int, _PART.findall(parts))) if parts else 0
