"""Numbers that a state gives to a person, known by their form and their check digits.

Only forms that order numbers and timestamps do not have: separators at places of their own, letters among the
digits, or a date of birth and a check. All others are known by their key alone (``keys``).
"""

import re
from collections.abc import Callable
from functools import cache

from stdnum import numdb
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.cn import ric
from stdnum.exceptions import ValidationError
from stdnum.fr import nir
from stdnum.iso7064 import mod_97_10
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp

type Check = Callable[[str], bool]

# no part of a word, a decimal number or a UUID
BEFORE, AFTER = r"(?<![\w.])(?<![0-9a-fA-F]-)", r"(?!\w)(?!-[0-9a-fA-F])(?!\.[0-9])"

# Looked for at each place, not only behind the one before: what is none may run on into one that is.
_MAYBE = re.compile(r"(?<![A-Za-z0-9])(?=([A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11,30}))")
# the parts of a country's numbers: "8!n10!n"
_PART = re.compile(r"([0-9]+)!")
_BETWEEN = " -"
# for the quick look: capitals are A, digits 0
_IBAN_SHAPE = re.compile(rb"AA00(?:[ -]?[A0]){11}")


def is_chinese_id(number: str) -> bool:
    # not ric.is_valid: a place of birth that its list does not know makes a number no less personal
    if ric.calc_check_digit(number) != number[-1].upper():
        return False
    try:
        return 1850 < ric.get_birth_date(number).year < 2150
    except ValidationError:
        return False


_FORMS: dict[str, tuple[str, Check]] = {
    "CN": (r"[1-9][0-9]{16}[0-9Xx]", is_chinese_id),
    "US": (r"(?!000|666|9[0-9]{2})[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?!-)", bool),
    "KR": (r"[0-9]{6}-[0-9]{7}", rrn.is_valid),
    "BR": (r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", cpf.is_valid),
    "CH": (r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", ahv.is_valid),
    "BE": (r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}[. ][0-9]{2}", nn.is_valid),
    "FR": (r"[12] [0-9]{2} [0-9]{2} [0-9]{2} [0-9]{3} [0-9]{3} [0-9]{2}", nir.is_valid),
    "IT": (
        r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]",
        codicefiscale.is_valid,
    ),
    "MX": (r"[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Z0-9][0-9]", curp.is_valid),
}


_ANY = re.compile(
    f"{BEFORE}(?:{'|'.join(f'(?P<{country}>{form})' for country, (form, _check) in _FORMS.items())}){AFTER}"
)


# for the quick look at what each character is, digits are 0 and capitals A; a Chinese one is a long number
_SHAPE = re.compile(
    rb"000-00-0000|000000-0000000|000\.000\.000-00|000\.0000\.0000\.00|00\.00\.00-000|0 00 00 00 000"
    rb"|AAAAAA[0A]{2}A[0A]{2}A[0A]{3}A|AAAA000000AAAAAA"
)


def mask_national_ids(text: str, replace: Callable[[str, str], str]) -> str:
    """Replace each by ``replace("national id", written)``."""
    return _ANY.sub(lambda match: _mask(match, replace), text)


def _mask(match: re.Match[str], replace: Callable[[str, str], str]) -> str:
    _form, check = _FORMS[match.lastgroup or ""]
    return replace("national id", match[0]) if check(match[0]) else match[0]


def may_look_like_id(shape: bytes) -> bool:
    """A quick look: False where there certainly is none but of digits alone."""
    return _SHAPE.search(shape) is not None


def may_look_like_iban(shape: bytes) -> bool:
    """A quick look: False where there certainly is none."""
    return _IBAN_SHAPE.search(shape) is not None


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
