"""Personal data that is known by its look: in any text, whatever the key.

Where a number has check digits they must be right, so that ids, versions and timestamps stay. Every pattern
takes time in proportion to the text.
"""

import re
from collections.abc import Callable

from stdnum import luhn

from dlqconsole.processing.masking.check_digits import (
    AFTER,
    BEFORE,
    is_chinese_id,
    mask_ibans,
    mask_national_ids,
)
from dlqconsole.processing.masking.secrets import mask_secrets

type Replace = Callable[[str, str], str]

_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]++(?:@|%40)([\w-]++(?:\.[\w-]++)++)")
_VERSION = re.compile(r"[0-9]+\.[0-9]+(?:[.-]|$)")
_MANY_DIGITS = re.compile(r"[0-9](?:[ .()/_+-]{0,2}[0-9]){8}")
_CARD = re.compile(
    BEFORE + r"(?:[0-9]{14,19}|[0-9]{4}([ .-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?"
    r"|3[47][0-9]{2}([ .-])[0-9]{6}\2[0-9]{5})" + AFTER
)
# the first digits that card companies use, for each length
_CARD_STARTS = {
    14: re.compile(r"3(?:0[0-5]|[689])"),
    15: re.compile(r"3[47]"),
    16: re.compile(
        r"4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|35(?:2[89]|[3-8])|6(?:011|4[4-9]|5|2|7|3[3-9])"
    ),
    17: re.compile(r"62"),
    18: re.compile(r"62"),
    19: re.compile(r"62"),
}
_PHONE = re.compile(
    r"(?<![\w+.])\+(?: (?=[1-9][0-9]{0,2} ?\())?[1-9](?:[ .()-]{0,2}[0-9]){7,14}(?![\w:])"  # +49 30 123456
)
# countries whose numbers have four to six digits behind the code
_ISLAND_PHONE = re.compile(
    r"(?<![\w+.])\+(?:247|290|500|67[678]|68[23568]|690)(?:[ .()-]{0,2}[0-9]){4,6}(?![\w:])"
)
_BETWEEN = re.compile("[ .-]")
_LENGTH_OF_CHINESE_ID = 18


def mask_values(text: str, replace: Replace) -> str:
    """Replace what is known by its look by ``replace(kind, value)``."""
    text = mask_secrets(text, replace)
    if "@" in text or "%40" in text:
        text = _EMAIL.sub(lambda m: _email(m, replace), text)
    if _MANY_DIGITS.search(text):
        text = mask_ibans(text, replace)
        text = _CARD.sub(lambda m: replace("card", m[0]) if _is_card(m[0]) else m[0], text)
    text = mask_national_ids(text, replace)
    if "+" in text:
        text = _PHONE.sub(lambda m: replace("phone", m[0]), text)
        text = _ISLAND_PHONE.sub(lambda m: replace("phone", m[0]), text)
    return text


def number_kind(digits: str) -> str:
    """Return what a bare number of JSON is known to be; empty for nearly all of them."""
    if not (14 <= len(digits) <= 19 and digits.isascii() and digits.isdigit()):
        return ""
    if _is_card(digits):
        return "card"
    is_id = len(digits) == _LENGTH_OF_CHINESE_ID and digits[0] != "0" and is_chinese_id(digits)
    return "national id" if is_id else ""


def _email(match: re.Match[str], replace: Replace) -> str:
    domain = match[1]
    last = domain.rpartition(".")[2]
    # a package and its version ("left-pad@1.3.0") is no address
    is_address = (
        match[0][:4] not in ("git@", "git%")
        and len(last) > 1
        and last[0].isalpha()
        and not _VERSION.match(domain)
    )
    return replace("email", match[0]) if is_address else match[0]


def _is_card(number: str) -> bool:
    digits = _BETWEEN.sub("", number)
    start = _CARD_STARTS.get(len(digits))
    if start is None or not start.match(digits):
        return False
    return len(set(digits)) > 1 and luhn.is_valid(digits)
