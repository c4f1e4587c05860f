"""Secrets, by what a protocol or a well-known service writes around them."""

import re
from collections.abc import Callable

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-]*+(?:-----END [A-Z ]{0,40}-----)?"
)
# a port is none
_URL_PASSWORD = re.compile(
    r"://([^\s/:@\"']{0,256}+):(?![0-9]{1,5}/)([^\s@\"']{1,256}+(?:@[^\s/@\"']{1,64}+(?=@))*+)@"
)
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?")
_LOGIN = re.compile(r"\b([Bb]earer|BEARER|[Bb]asic|BASIC)(\s{1,8})([\w+/.~=-]{8,}+)")
# in front of it stands no part of a word; in quoted JSON that may be the letter of an escape
_FORMS = (
    r"(?:[sp]k|rk)_(?:live|test)_[A-Za-z0-9]{8,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # GitHub, GitLab
    r"|xox[abeoprs]-[\w-]{8,}"  # Slack
    # our own; a role's name ("dlq_producer_orders") is all small letters
    r"|dlq_(?=[a-z_-]{0,60}[A-Z0-9])[\w-]{40,}"
    r"|npm_[A-Za-z0-9]{30,}"
    r"|(?<=[?&;]sig=)[\w%+/=.-]{20,}"  # Azure
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{8,}"
    r"|AIza[\w-]{30,}"  # Google
    r"|sk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic
)
# all capitals: a small letter in front is no part of it
_AWS_KEY = r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"
_SERVICE = re.compile(rf"(?<![A-Za-z0-9_])(?:{_FORMS})|{_AWS_KEY}")
_ANYWHERE = re.compile(rf"{_FORMS}|{_AWS_KEY}")
# by a character that each of them has, for most texts lack it
_BEGINNINGS = {
    "_": ("_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "dlq_", "npm_"),
    "-": ("glpat-", "sk-"),
    "x": ("xox",),
    "A": ("AIza", "AKIA", "ASIA", "ABIA", "ACCA"),
    "=": ("sig=",),
    "/": ("hooks.slack",),
}


def mask_secrets(text: str, replace: Callable[[str, str], str]) -> str:
    """Replace each by ``replace(kind, value)``; a user and the word before a token stay."""
    if "-----BEGIN" in text:
        text = _PRIVATE_KEY.sub(lambda m: replace("private key", m[0]), text)
    if "://" in text and "@" in text:
        text = _URL_PASSWORD.sub(lambda m: f"://{m[1]}:{replace('password', m[2])}@", text)
    if "eyJ" in text:
        text = _JWT.sub(lambda m: replace("token", m[0]), text)
    if _may_log_in(text):
        text = _LOGIN.sub(lambda m: _login(m, replace), text)
    if _may_be_of_service(text):
        text = _SERVICE.sub(lambda m: replace("secret", m[0]), text)
    return text


def may_hold_secret(text: str) -> bool:
    """A quick look at a text or at JSON: False where there certainly is none. It looks at no URL."""
    if "eyJ" in text or "-----BEGIN" in text or _may_be_of_service(text):
        return True
    return _may_log_in(text) and _ANY_LOGIN.search(text) is not None


_ANY_LOGIN = re.compile(r"(?:[Bb]earer|BEARER|[Bb]asic|BASIC)[\s\\]")


def _may_log_in(text: str) -> bool:
    return "earer" in text or "asic" in text or "BEARER" in text or "BASIC" in text


def _may_be_of_service(text: str) -> bool:
    for character, beginnings in _BEGINNINGS.items():
        if character in text:
            for beginning in beginnings:  # any() would take five times as long
                if beginning in text:
                    return _ANYWHERE.search(text) is not None
    return False


def _login(match: re.Match[str], replace: Callable[[str, str], str]) -> str:
    token = match[3]
    # "Basic authentication" is prose
    is_token = any(c.isdigit() or c in "+/=_~" for c in token) or len(token) > 24
    return f"{match[1]}{match[2]}{replace('token', token)}" if is_token else match[0]
