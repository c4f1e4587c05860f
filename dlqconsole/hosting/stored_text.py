"""Stored sentences of ours, such as why an item was skipped, in the language of the person who reads them.

Every program stores them in English. ``python -m tools messages`` lists their patterns in
``stored_sentences.txt``: those that Python marks by ``stored()``, and SQL by ``/*stored*/``.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import get_language, gettext

from dlqconsole.hosting.languages import SOURCE

PATTERNS = Path(__file__).with_name("stored_sentences.txt")
_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
# a number, a number with commas, a word; what has no form may be any text
_FORMS = {"d": r"\d+", ",": r"\d{1,3}(?:,\d{3})*", "s": r"\S+"}
# a value that is a sentence of this sort itself
SENTENCE = "_sentence"


class _Pattern(NamedTuple):
    """``longest``: its longest words without a value; what lacks them need not be matched."""

    text: str
    form: re.Pattern[str]
    longest: str


def stored_text(text: str) -> str:
    """Return a stored sentence in the reader's language; any other text as it is."""
    language = get_language() or SOURCE
    return text if language == SOURCE else _in_language(text, language)


@lru_cache(maxsize=4_096)
def _in_language(text: str, language: str) -> str:
    """``language``: the active one; the same text is asked for on every row of a page."""
    return _translation(text) or text


def _translation(text: str) -> str:
    """Return the translation of a sentence that is one of ours, or of several; else nothing."""
    return _list_translation(text, "; ") or _sentence_translation(text) or _list_translation(text, ", ")


def _list_translation(text: str, between: str) -> str:
    """Return the translation of several sentences in a row, each of ours."""
    parts: list[str] = []
    for part in text.split(between) if between in text else ():
        if not (words := _translation(part)):
            return ""
        parts.append(words)
    return gettext(between).join(parts)


def _sentence_translation(text: str) -> str:
    by_start = _patterns()
    for pattern in by_start.get(_first_word(text), by_start[""]):
        if pattern.longest in text and (match := pattern.form.fullmatch(text)):
            values = _values(match)
            if values is not None:
                return _filled(gettext(pattern.text), values)
    return ""


def _filled(pattern: str, values: dict[str, str]) -> str:
    return _FIELD.sub(lambda field: values[field[1]], pattern)


def _values(match: re.Match[str]) -> dict[str, str] | None:
    """The values as they stand there, but sentences translated; None where one of these is none of ours."""
    values = match.groupdict()
    sentences = {name: _translation(text) for name, text in values.items() if name.endswith(SENTENCE)}
    return values | sentences if all(sentences.values()) else None


@cache
def _patterns() -> dict[str, list[_Pattern]]:
    """The patterns of texts by their first word, the closest first; those that begin with a value fit any."""
    texts = sorted(PATTERNS.read_text(encoding="utf-8").splitlines(), key=_closeness, reverse=True)
    patterns = {text: _Pattern(text, _form(text), max(_words(text), key=len)) for text in texts}
    starts = {text: _first_word(text) for text in texts}
    return {
        start: [patterns[text] for text in texts if starts[text] in (start, "")]
        for start in {*starts.values(), ""}
    }


def _closeness(pattern: str) -> tuple[bool, bool, int]:
    """One with a sentence in it is the closest, as that must be one of ours, too; then by its own words."""
    return SENTENCE in pattern, not pattern.startswith("{"), sum(map(len, _words(pattern)))


def _words(pattern: str) -> list[str]:
    """The parts between the values; with a capital or not, as pages write some of them with one."""
    ends = [0, *(end for field in _FIELD.finditer(pattern) for end in field.span()), len(pattern)]
    parts = [pattern[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return [parts[0][1:], *parts[1:]]


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
    return re.compile(re.sub(r"^[A-Za-z]", r"(?i:\g<0>)", form), re.DOTALL)
