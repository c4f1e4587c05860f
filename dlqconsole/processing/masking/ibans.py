"""IBANs, as banks print them, or without spaces: the country's length and the check digits decide."""

import re
from collections.abc import Callable
from functools import cache

from stdnum import numdb
from stdnum.iso7064 import mod_97_10

# Looked for at each place, not only behind the one before: what is none may run on into one that is.
_MAYBE = re.compile(r"(?<![A-Za-z0-9])(?=([A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11,30}))")
# the parts of a country's numbers: "8!n10!n"
_PART = re.compile(r"([0-9]+)!")
_BETWEEN = " -"
# for the quick look: capitals are A, digits 0
_SHAPE = re.compile(rb"AA00(?:[ -]?[A0]){11}")


def may_look_like_iban(shape: bytes) -> bool:
    """A quick look: False where there certainly is none."""
    return _SHAPE.search(shape) is not None


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
    length = _country_length(text[:2])
    end, length_so_far = 0, 0
    while end < len(text) and length_so_far < length:
        length_so_far += text[end] not in _BETWEEN
        end += 1
    if not length or length_so_far < length or text[end : end + 1].isalnum():
        return 0
    number = "".join(character for character in text[:end] if character not in _BETWEEN)
    return end if mod_97_10.is_valid(number[4:] + number[:4]) else 0


@cache
def _country_length(country: str) -> int:
    """Return the length of a country's IBANs, by the registry that stdnum keeps; 0: it has none."""
    parts = numdb.get("iban").info(country)[0][1].get("bban", "")
    return 4 + sum(map(int, _PART.findall(parts))) if parts else 0
