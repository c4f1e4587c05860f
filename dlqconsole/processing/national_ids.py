"""Numbers that a state gives to a person, known by their form and, where there is one, by their check digit.

Only forms that order numbers and timestamps do not have: with the separators that people write, with letters
at fixed places, or with a check that one number in a hundred passes. Bare numbers with a weaker check
(PESEL, BSN, tax numbers) are known by their key alone (``masked_keys``).
"""

import re
from collections.abc import Callable, Iterator

from stdnum import luhn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.exceptions import ValidationError
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.in_ import aadhaar, pan
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.no import fodselsnummer

type Check = Callable[[str], bool]

# no part of a word, a decimal number or a UUID
BEFORE, AFTER = r"(?<![\w.])(?<![0-9a-fA-F]-)", r"(?!\w)(?!-[0-9a-fA-F])(?!\.[0-9])"


def is_chinese_id(number: str) -> bool:
    # not ric.is_valid: a place of birth that its list does not know makes a number no less personal
    if ric.calc_check_digit(number) != number[-1].upper():
        return False
    try:
        return 1850 < ric.get_birth_date(number).year < 2150
    except ValidationError:
        return False


def _is_personnummer(number: str) -> bool:
    """Tell whether the check and the month and day are possible, also of who is not born yet."""
    digits = re.sub("[^0-9]", "", number)
    month, day = int(digits[2:4]), int(digits[4:6])
    return 1 <= month <= 12 and (1 <= day <= 31 or 61 <= day <= 91) and luhn.is_valid(digits)


def _always(number: str) -> bool:
    return True


# of nine digits or more, perhaps with separators between
_DIGITS: tuple[tuple[str, Check], ...] = (
    (r"[1-9][0-9]{16}[0-9Xx]", is_chinese_id),
    (r"(?!000|666|9[0-9]{2})[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?!-)", _always),  # US
    # among other numbers it is none
    (
        r"(?<![0-9][ .])(?<![+])"
        r"(?!000|666|9[0-9]{2})[0-9]{3}([ .])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?! [0-9])",
        _always,
    ),
    (r"[0-9]{6}[-+][0-9]{4}", lambda text: _is_personnummer(text) or cpr.is_valid(text)),  # SE, DK
    (r"[0-9]{6}-[0-9]{7}", rrn.is_valid),  # KR
    (r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", cpf.is_valid),  # BR
    (r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}|756[0-9]{10}", ahv.is_valid),  # CH
    (r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}[. ][0-9]{2}", nn.is_valid),  # BE
    (r"[1-9][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}", aadhaar.is_valid),  # IN
    (r"[0-9]{4}\.[0-9]{2}\.[0-9]{3}", bsn.is_valid),  # NL
    (r"[12] [0-9]{2} [0-9]{2} [0-9]{2} [0-9]{3} [0-9]{3} [0-9]{2}|[12][0-9]{14}", nir.is_valid),  # FR
    (r"[1-9][0-9] [0-9]{3} [0-9]{3} [0-9]{3}", idnr.is_valid),  # DE
    (r"[0-9]{11}|[0-9]{6} [0-9]{5}", fodselsnummer.is_valid),  # NO
)
# with a capital behind a digit
_LETTERED: tuple[tuple[str, Check], ...] = (
    (r"[0-9]{8}-?[A-Z]", dni.is_valid),  # ES
    (r"[XYZ]-?[0-9]{7}-?[A-Z]", nie.is_valid),  # ES
    (r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]", codicefiscale.is_valid),
    (r"[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Z0-9][0-9]", curp.is_valid),  # MX
    (r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]", pan.is_valid),  # IN
    (r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
     r"(?:[0-9]{6}| [0-9]{6} | [0-9]{2} [0-9]{2} [0-9]{2} )[A-D]", _always),  # GB
    (r"[0-9]{6}[-+A-F][0-9]{3}[0-9A-Y]", hetu.is_valid),  # FI
)  # fmt: skip
_MAY_BE_LETTERED = re.compile(r"[0-9][ -]?[A-F]|[0-9][-]?[A-Z]")


def _compile(forms: tuple[tuple[str, Check], ...]) -> list[tuple[re.Pattern[str], Check]]:
    return [(re.compile(f"{BEFORE}(?:{form}){AFTER}"), check) for form, check in forms]


_DIGIT_FORMS, _LETTERED_FORMS = _compile(_DIGITS), _compile(_LETTERED)


def digit_forms() -> Iterator[tuple[re.Pattern[str], Check]]:
    """Each form of nine digits or more, and what checks a text that has it."""
    yield from _DIGIT_FORMS


def lettered_forms(text: str) -> Iterator[tuple[re.Pattern[str], Check]]:
    """The forms with letters; none where the text cannot hold one."""
    if _MAY_BE_LETTERED.search(text):
        yield from _LETTERED_FORMS


def is_bare_id(digits: str) -> bool:
    """Tell whether a number without separators is one: a few of several million are, by accident."""
    match len(digits):
        case 11:
            return fodselsnummer.is_valid(digits)
        case 13:
            return digits.startswith("756") and ahv.is_valid(digits)
        case 15:
            return digits[0] in "12" and nir.is_valid(digits)
        case 18:
            return digits[0] != "0" and is_chinese_id(digits)
    return False


# For the quick look: digits are 0, capitals A. Each form above that is not all digits has one of these.
_SIX = re.compile(rb"000000(?:[-+]000| 00000|[ -]?A)")
# by what several have in common
_SHAPES = {
    b"0.00": (b"000.000.000-00", b"000.0000.0000.00", b"00.00.00-000", b"0000.00.000"),
    b"0 00": (b"0 00 00 00 000", b"00 000 000 000", b"0000 0000 0000", b"AA 00 00 00 A"),
    b"0-0000-0": (b"0000-0000-0000",),
    b"AAA0000A": (b"AAA0000A",),
}
# an Italian code may have letters for any of its digits
_ITALIAN = re.compile(rb"AAAAAA[0A]{2}A[0A]{2}A[0A]{3}A")


def may_look_like_id(shape: bytes) -> bool:
    """A quick look: False where there certainly is none but of digits alone."""
    if _SIX.search(shape) or _ITALIAN.search(shape):
        return True
    return any(part in shape and any(form in shape for form in forms) for part, forms in _SHAPES.items())
