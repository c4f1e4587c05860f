"""The masking gate: every text passes it before a person sees it.

Pages, the admin, files, the command line, log lines and figures call ``shown`` (or a masker from here), and a
text that is not ``Shown`` is masked where it is written out: forgetting to mask shows a placeholder, never
the value. The type ``Shown`` marks text that may be seen as it stands: it went through the gate, or one
person revealed it and the audit log has the reason.
"""

import hashlib
import hmac
from argparse import _SubParsersAction
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote_plus

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from dlqconsole.engine.access_scope import NobodyAsks, asking_lazily
from dlqconsole.processing.masking import Masker
from dlqconsole.processing.masking.reversible import ReversibleMasker, exposes_secret
from dlqconsole.processing.texts import visible

_SHORT = 200
# characters: a value that the database cut in two stands within so many of the end
MARGIN = 300

# the tag of the checks at each start of a command
CHECKED = "dlqconsole"


class Shown(str):
    """Text that may be seen as it stands."""

    __slots__ = ()


def is_masking() -> bool:
    """Tell whether anything is masked here."""
    return bool(settings.DLQ_MASKING)


@cache
def masker() -> Masker:
    """Return the masker with the keys that this team has added."""
    return Masker(settings.DLQ_MASKED_KEYS)


def key(purpose: str) -> bytes:
    """Derive a key for one purpose from SECRET_KEY; what it makes does not reveal SECRET_KEY."""
    return hmac.digest(settings.SECRET_KEY.encode(), f"dlqconsole.gate.{purpose}".encode(), hashlib.sha256)


def hash_mark(text: str) -> Shown:
    """Return a mark that the audit log may keep: equal texts have equal marks, and none reveals its text."""
    mark = hmac.digest(key("search"), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]
    return Shown(f"‹text {mark}›")


def marks() -> ReversibleMasker:
    """Return the masker for texts that are edited unseen; equal values have equal marks everywhere."""
    return ReversibleMasker(settings.DLQ_MASKED_KEYS, key("marks"))


def distinct(text: str) -> Shown:
    """Mask a text so that different texts stay different: for the labels of figures."""
    return Shown(_distinct().text(text) if settings.DLQ_MASKING and text else text)


def distinct_json(text: str) -> Shown:
    """Mask JSON text so that different texts stay different: for comparisons."""
    return Shown(_distinct().json(text) if settings.DLQ_MASKING and text else text)


def brings_out(before: str, after: str) -> bool:
    """Tell whether an edit would show a masked key's value under a name that is not masked."""
    if not settings.DLQ_MASKING or masker().json(before) is before:
        return False
    return exposes_secret(before, after, settings.DLQ_MASKED_KEYS)


@cache
def _distinct() -> Masker:
    return Masker(settings.DLQ_MASKED_KEYS, key("marks"))


def shown(text: str) -> Shown:
    """Mask personal data and secrets in a text; a text that has passed before stays as it is."""
    if isinstance(text, Shown):
        return text
    if not settings.DLQ_MASKING or not text:
        return Shown(text)
    if "%" in text and (plain := unquote_plus(text)) != text and masker().text(plain) != plain:
        # an address in whose escapes something personal stands: better broken than told
        text = plain
    return Shown(_short(text) if len(text) <= _SHORT else masker().text(text))


def shown_json(text: str) -> Shown:
    """Mask JSON text: keys say what their values are, however deep."""
    if isinstance(text, Shown):
        return text
    return Shown(masker().json(text) if settings.DLQ_MASKING and text else text)


def beginning(text: str, limit: int) -> Shown:
    """Mask first, then cut to ``limit`` characters. Of a longer text the database gave ``MARGIN`` more."""
    safe = cut(text, limit + MARGIN)
    return safe if len(safe) <= limit else Shown(safe[:limit] + "…")


def cut(text: str, limit: int) -> Shown:
    """Mask a text that the database cut at ``limit``: half a value may stand at its end, so that goes."""
    safe = shown(text)
    return safe if len(text) < limit else Shown(safe[: max(len(safe) - MARGIN, 0)] + "…")


@lru_cache(maxsize=16_384)
def _short(text: str) -> str:
    return masker().text(text)


class _GatedOutput(OutputWrapper):
    def write(  # type: ignore[override]
        self, msg: str = "", style_func: Any = None, ending: str | None = None
    ) -> None:
        super().write(visible(shown(msg)), style_func, ending)


class GatedCommand(BaseCommand):
    """The base of every command of ours. Nobody asks until the command says who: ``people.command_line``."""

    # all of Django's are for `manage.py check`: they import every page and the admin, a fifth of a start
    requires_system_checks = [CHECKED]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Allow no abbreviations: one of today may be ambiguous, or mean another option, tomorrow."""
        parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                for verb in action.choices.values():
                    verb.allow_abbrev = False
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        for name in ("stdout", "stderr"):
            stream = options.pop(name, None)
            setattr(self, name, _GatedOutput(stream or getattr(self, name)._out))
        try:
            with asking_lazily(None):
                return super().execute(*args, **options)
        except NobodyAsks as refusal:
            raise CommandError(str(refusal)) from refusal
