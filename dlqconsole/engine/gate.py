"""The one gate: every text passes it before it leaves for a person.

Pages, the admin, files, the command line, log lines and figures ask ``shown`` (or a masker from here), and a
text that is not ``Shown`` is masked where it is written out: forgetting to mask shows a placeholder, never
the value. What may be seen as it stands is said by its type: ``Shown`` went through the gate, or one person
revealed it and the audit log has the reason.
"""

import hashlib
import hmac
from functools import cache, lru_cache
from urllib.parse import unquote_plus

from django.conf import settings

from dlqconsole.processing.masking import Masker
from dlqconsole.processing.reversible_masking import ReversibleMasker, exposes_secret

_SHORT = 200
# characters: a value that the database cut in two stands within so many of the end
MARGIN = 300


class Shown(str):
    """Text that may be seen as it stands."""

    __slots__ = ()


def is_masking() -> bool:
    """Whether anything is hidden from anybody here."""
    return bool(settings.DLQ_MASKING)


@cache
def masker() -> Masker:
    """With the keys that this team has added."""
    return Masker(settings.DLQ_MASKED_KEYS)


def key(purpose: str) -> bytes:
    """A key of our own for one purpose, from SECRET_KEY: what it makes tells nothing about that one."""
    return hmac.digest(settings.SECRET_KEY.encode(), f"dlqconsole.gate.{purpose}".encode(), hashlib.sha256)


def hashed(text: str) -> Shown:
    """A text that the audit may keep: equal ones have equal marks, and none tells what it stands for."""
    mark = hmac.digest(key("search"), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]
    return Shown(f"‹text {mark}›")


def marks() -> ReversibleMasker:
    """For what somebody is given to change without seeing it; equal values have equal marks everywhere."""
    return ReversibleMasker(settings.DLQ_MASKED_KEYS, key("marks"))


def distinct(text: str) -> Shown:
    """Masked so that different texts stay different: for the labels of figures."""
    return Shown(_distinct().text(text) if settings.DLQ_MASKING and text else text)


def distinct_json(text: str) -> Shown:
    """JSON text masked in this way: for what is compared."""
    return Shown(_distinct().json(text) if settings.DLQ_MASKING and text else text)


def brings_out(before: str, after: str) -> bool:
    """Whether an edit would show what a key's name hides, under a name that hides nothing."""
    if not settings.DLQ_MASKING or masker().json(before) is before:
        return False
    return exposes_secret(before, after, settings.DLQ_MASKED_KEYS)


@cache
def _distinct() -> Masker:
    return Masker(settings.DLQ_MASKED_KEYS, key("marks"))


def shown(text: str) -> Shown:
    """The text with personal data and secrets masked; what has passed before stays."""
    if isinstance(text, Shown):
        return text
    if not settings.DLQ_MASKING or not text:
        return Shown(text)
    if "%" in text and (plain := unquote_plus(text)) != text and masker().text(plain) != plain:
        # an address in whose escapes something personal stands: better broken than told
        text = plain
    return Shown(_short(text) if len(text) <= _SHORT else masker().text(text))


def shown_json(text: str) -> Shown:
    """The same for JSON text: keys say what their values are, however deep."""
    if isinstance(text, Shown):
        return text
    return Shown(masker().json(text) if settings.DLQ_MASKING and text else text)


def beginning(text: str, limit: int) -> Shown:
    """Masked first, then cut to ``limit`` characters. Of a longer text the database gave ``MARGIN`` more."""
    masked = cut(text, limit + MARGIN)
    return masked if len(masked) <= limit else Shown(masked[:limit] + "…")


def cut(text: str, limit: int) -> Shown:
    """A text that the database cut at ``limit``: what stands at its end may be half a value, and goes."""
    masked = shown(text)
    return masked if len(text) < limit else Shown(masked[: max(len(masked) - MARGIN, 0)] + "…")


@lru_cache(maxsize=16_384)
def _short(text: str) -> str:
    return masker().text(text)
