"""Personal data and secrets that are known by their look: in any text, whatever the key.

Where a number has a check digit it must be right, so that ids, versions and timestamps stay. Every pattern
takes time in proportion to the text.
"""

import re
from collections.abc import Callable

from stdnum import luhn

from dlqconsole.processing import common_secrets, national_ids, national_phones
from dlqconsole.processing.labelled_numbers import mask_labelled
from dlqconsole.processing.masked_ibans import mask_ibans
from dlqconsole.processing.national_ids import AFTER, BEFORE

type Replace = Callable[[str, str], str]

_EMAIL = re.compile(
    r"(?:(?<![\w.+'-])[\w.+'-]++|\"[^\"\\\n]{1,64}+\\{0,3}\")(?:@|%40)"
    r"([\w-]++(?:\.[\w-]++)++|\[[0-9A-Fa-fIPv:.]{7,45}\])"
)
# written apart; a file has a suffix, too
_SPACED_EMAIL = re.compile(
    r"(?<![\w.+'-])([\w.+'-]++) @ (?![\w.-]*\."
    r"(?:c|cpp|cs|css|go|html|java|js|json|kt|log|py|rb|rs|sh|so|sql|ts|txt"
    r"|whl|xml|ya?ml)\b)([\w-]++(?:\.[\w-]++)++)(?![:/(\w])"
)
_VERSION = re.compile(r"[0-9]+\.[0-9]+(?:[.-]|$)")
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?")
_AWS_KEY = re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])")
_BEARER = re.compile(r"\b([Bb]earer|BEARER|[Bb]asic|BASIC)(\s{1,8})([\w+/.~=-]{8,}+)")
# a port is none
_URL_PASSWORD = re.compile(
    r"://([^\s/:@\"']{0,256}+):(?![0-9]{1,5}/)([^\s@\"']{1,256}+(?:@[^\s/@\"']{1,64}+(?=@))*+)@"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-]*+(?:-----END [A-Z ]{0,40}-----)?"
)

_MANY_DIGITS = re.compile(r"[0-9](?:[ .()/_+-]{0,2}[0-9]){8}")
_CARD = re.compile(
    BEFORE + r"(?:[0-9]{14,19}|[0-9]{4}([ ./_+-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?"
    r"|3[47][0-9]{2}([ ./_+-])[0-9]{6}\2[0-9]{5})" + AFTER
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
    r"|" + BEFORE + r"(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}-)[2-9][0-9]{2}-[0-9]{4}" + AFTER + "(?!-)"
    r"|"
    + BEFORE
    + r"[2-9][0-9]{2}\.[2-9][0-9]{2}\.[0-9]{4}"
    + AFTER
    + r"|"
    + BEFORE
    + r"1[3-9][0-9](?:[0-9]{8}|-[0-9]{4}-[0-9]{4}| [0-9]{4} [0-9]{4})"
    + AFTER  # Chinese mobile
)
# countries whose numbers have four to six digits behind the code
_ISLAND_PHONE = re.compile(
    r"(?<![\w+.])\+(?:247|290|500|67[678]|68[23568]|690)(?:[ .()-]{0,2}[0-9]){4,6}(?![\w:])"
)
# of cards, and of what a state gives
_BETWEEN = re.compile("[ ./_+-]")
_LENGTHS = frozenset((11, 13, 14, 15, 16, 17, 18, 19))


def mask_values(text: str, replace: Replace) -> str:
    """Replace what is known by its look by ``replace(kind, value)``."""
    if "-----BEGIN" in text:
        text = _PRIVATE_KEY.sub(lambda m: replace("private key", m[0]), text)
    if "://" in text and "@" in text:
        text = _URL_PASSWORD.sub(lambda m: f"://{m[1]}:{replace('password', m[2])}@", text)
    if "eyJ" in text:
        text = _JWT.sub(lambda m: replace("token", m[0]), text)
    if "earer" in text or "asic" in text or "BEARER" in text or "BASIC" in text:
        text = _BEARER.sub(lambda m: _bearer(m, replace), text)
    if "AKIA" in text or "ASIA" in text or "ABIA" in text or "ACCA" in text:
        text = _AWS_KEY.sub(lambda m: replace("aws key", m[0]), text)
    if "@" in text or "%40" in text:
        text = _EMAIL.sub(lambda m: _email(m, replace), text)
    if " @ " in text:
        text = _SPACED_EMAIL.sub(lambda m: _email(m, replace, 2), text)
    if common_secrets.may_hold_secret(text):
        text = common_secrets.SECRET.sub(lambda m: replace("secret", m[0]), text)
    if _MANY_DIGITS.search(text):
        text = _mask_numbers(text, replace)
    for form, is_id in national_ids.lettered_forms(text):
        text = _mask_checked(text, form, is_id, "national id", replace)
    if "+" in text:
        text = _ISLAND_PHONE.sub(lambda m: replace("phone", m[0]), text)
    return text


def number_kind(digits: str) -> str:
    """Return what a bare number of JSON is known to be; empty for nearly all of them."""
    if len(digits) in _LENGTHS and digits.isascii() and digits.isdigit():
        if _is_card(digits):
            return "card"
        if national_ids.is_bare_id(digits):
            return "national id"
    return ""


def _mask_numbers(text: str, replace: Replace) -> str:
    text = mask_labelled(mask_ibans(text, replace), replace)
    text = _mask_checked(text, _CARD, _is_card, "card", replace)
    for form, is_id in national_ids.digit_forms():
        text = _mask_checked(text, form, is_id, "national id", replace)
    text = _PHONE.sub(lambda m: replace("phone", m[0]), text)
    text = _mask_checked(text, national_phones.FROM_ABROAD, national_phones.is_phone, "phone", replace)
    return _mask_checked(text, national_phones.MAYBE, national_phones.is_phone, "phone", replace)


def _mask_checked(
    text: str, form: re.Pattern[str], is_one: Callable[[str], bool], kind: str, replace: Replace
) -> str:
    return form.sub(lambda m: replace(kind, m[0]) if is_one(m[0]) else m[0], text)


def _email(match: re.Match[str], replace: Replace, domain_group: int = 1) -> str:
    domain = match[domain_group]
    if domain[0] == "[":
        return replace("email", match[0])
    last = domain.rpartition(".")[2]
    # a package and its version ("left-pad@1.3.0") is no address
    is_address = (
        match[0][:4] not in ("git@", "git%")
        and len(last) > 1
        and last[0].isalpha()
        and not _VERSION.match(domain)
    )
    return replace("email", match[0]) if is_address else match[0]


def _bearer(match: re.Match[str], replace: Replace) -> str:
    token = match[3]
    # "Basic authentication" is prose
    is_token = any(c.isdigit() or c in "+/=_~" for c in token) or len(token) > 24
    return f"{match[1]}{match[2]}{replace('token', token)}" if is_token else match[0]


def _is_card(number: str) -> bool:
    digits = _BETWEEN.sub("", number)
    start = _CARD_STARTS.get(len(digits))
    if start is None or not start.match(digits):
        return False
    return len(set(digits)) > 1 and luhn.is_valid(digits)
