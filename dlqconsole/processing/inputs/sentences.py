"""A sentence in English, with what a page needs to say it in another language; it knows no Django."""

from typing import Any, Self


class Sentence(str):
    """The pattern with its values put in. Logs, rows and the API take it as the text that it is."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: dict[str, Any]

    def __new__(cls, pattern: str, **values: Any) -> Self:
        sentence = super().__new__(cls, pattern.format(**values) if values else pattern)
        sentence.pattern, sentence.values = pattern, values
        return sentence


def gettext_noop(pattern: str) -> str:
    """Mark a pattern for translators where it stands by itself."""
    return pattern


def stored(pattern: str) -> str:
    """Mark a sentence that is stored in English: pages recognize it by its pattern and translate it.

    ``{number:d}`` and ``{number:,}`` are numbers, ``{name:s}`` is one word, and ``{why_sentence}`` a sentence
    of this sort itself; any other value may be any text. ``hosting/stored_text.py`` reads it.
    """
    return pattern


def sentence_of(error: Exception) -> str:
    """The sentence of an error, as it was raised: ``str`` would make a plain text of it."""
    return error.args[0] if error.args and isinstance(error.args[0], Sentence) else str(error)
