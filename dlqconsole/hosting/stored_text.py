"""Stored sentences of ours, such as why an item was skipped, in the language of the person who reads them.

Every program stores them in English. ``python -m tools messages`` lists their patterns in
``stored_sentences.txt``: those that Python marks by ``stored()``, and SQL by ``/*stored*/``.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import gettext

from dlqconsole.hosting.languages import SOURCE, spoken

PATTERNS = Path(__file__).with_name("stored_sentences.txt")
_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
# a number, a number with commas, a word; what has no form may be any text
_FORMS = {"d": r"\d+", ",": r"\d{1,3}(?:,\d{3})*", "s": r"\S+"}
# a value that is a sentence of this sort itself
_SENTENCE = "_sentence"


class _Pattern(NamedTuple):
    text: str
    form: re.Pattern[str]


def stored_text(text: str) -> str:
    """Return a stored sentence in the reader's language; any other text as it is."""
    language = spoken()
    return text if language == SOURCE else _in_language(text, language)


@lru_cache(maxsize=4_096)
def _in_language(text: str, language: str) -> str:
    """``language``: the active one; the same text is asked for on every row of a page."""
    return _translation(text) or text


def _translation(text: str) -> str:
    """Return the translation of a sentence that is one of ours; else nothing."""
    by_start = _patterns()
    start = _first_word(text)
    for pattern in (*by_start.get(start, ()), *by_start.get("", ())):
        if (match := pattern.form.fullmatch(text)) and (values := _values(match)) is not None:
            return _FIELD.sub(lambda field, values=values: values[field[1]], gettext(pattern.text))
    return _list_translation(text, "; ") or _list_translation(text, ", ")


def _list_translation(text: str, between: str) -> str:
    """Return the translation of several sentences in a row, each of ours."""
    parts: list[str] = []
    for part in text.split(between) if between in text else ():
        if not (words := _translation(part)):
            return ""
        parts.append(words)
    return gettext(between).join(parts)


def _values(match: re.Match[str]) -> dict[str, str] | None:
    """The values as they stand there, but sentences translated; None where one of these is none of ours."""
    values = match.groupdict()
    sentences = {name: _translation(text) for name, text in values.items() if name.endswith(_SENTENCE)}
    return values | sentences if all(sentences.values()) else None


@cache
def _patterns() -> dict[str, Sequence[_Pattern]]:
    """The patterns by their first word; under no word those that begin with a value."""
    by_start: defaultdict[str, list[_Pattern]] = defaultdict(list)
    # the one with the most words of its own is the closest
    for text in sorted(PATTERNS.read_text(encoding="utf-8").splitlines(), key=_closeness, reverse=True):
        by_start[_first_word(text)].append(_Pattern(text, _form(text)))
    return dict(by_start)


def _closeness(pattern: str) -> int:
    return len(_FIELD.sub("", pattern))


def _first_word(text: str) -> str:
    """The letters up to the first space, small ones; none where a value stands among them."""
    word = text.partition(" ")[0]
    return "" if "{" in word else word.lower()


def _form(pattern: str) -> re.Pattern[str]:
    form, end = "", 0
    for field in _FIELD.finditer(pattern):
        shape = _FORMS.get(field[2], ".+")
        form += f"{re.escape(pattern[end : field.start()])}(?P<{field[1]}>{shape})"
        end = field.end()
    form += re.escape(pattern[end:])
    # pages write some of them with a capital
    return re.compile(re.sub(r"^[A-Za-z]", r"(?i:\g<0>)", form), re.DOTALL)
