"""Masked texts that can be changed: each placeholder has a mark (``‹email 3fa9c1d2›``), and what stood there
comes back where the mark is left, or put, when the text is stored. So nobody sees what they do not change.
"""

import json
import re
from collections.abc import Iterable

from dlqconsole.processing.masking import Masker

_MARK = re.compile(r"‹[a-z ]{1,40} [0-9a-f]{8}›")
_STRING = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"")
# shorter ones are found everywhere: a flag, a country, a day
_TELLING = 5


class ReversibleMasker(Masker):
    """One masking of one thing: its texts go in by ``json`` or ``text``, and out by ``put_back``."""

    def __init__(self, more_keys: Iterable[str], secret: bytes) -> None:
        self._values: dict[str, str] = {}
        # as JSON writes it: a number, or a string with its quotes and escapes
        self._tokens: dict[str, str] = {}
        super().__init__(more_keys, secret)

    def put_back(self, text: str) -> str:
        """Free text as it is to be stored."""
        return _MARK.sub(lambda mark: self._value(mark[0]), text)

    def put_back_json(self, text: str) -> str:
        """The same for JSON text; what was a number is one again. Marks outside of strings stay."""
        return _STRING.sub(lambda string: self._string_back(string[0]), text) if "‹" in text else text

    def unknown(self, text: str) -> list[str]:
        """The marks that stand for nothing here: they were changed, or belong to something else."""
        marks = dict.fromkeys(_MARK.findall(text))
        return [mark for mark in marks if mark not in self._values and mark not in self._tokens]

    def exposed_marks(self, text: str, masked_again: str) -> list[str]:
        """Return the marks in ``text`` whose values stand open in ``masked_again``.

        What is beside a value decides whether anybody knows it for what it is: ``id_‹…›_x`` is no number of a
        person any more.
        """
        was, now = _MARK.sub("", text), _MARK.sub("", masked_again)
        looks = self._values.keys() - self._tokens.keys()  # ``exposes_secret`` knows those
        values = {mark: self._values[mark] for mark in _MARK.findall(text) if mark in looks}
        return [mark for mark, value in values.items() if _comes_out(_escape(value), was, now)]

    def hidden(self) -> list[str]:
        """Return the values under telling keys, as plain text: nobody would know one by its look."""
        values = (_plain(token) for token in self._tokens.values())
        return [value for value in values if len(value) >= _TELLING]

    def _placeholder(self, kind: str, value: str) -> str:
        mark = super()._placeholder(kind, value)
        if mark != value:
            self._values[mark] = value
        return mark

    def token_placeholder(self, kind: str, token: str) -> str:
        mark = super().token_placeholder(kind, token)
        if mark != token[1:-1]:
            self._tokens[mark] = token
        return mark

    def _value(self, mark: str) -> str:
        token = self._tokens.get(mark)
        return self._values.get(mark, mark) if token is None else _plain(token)

    def _string_back(self, string: str) -> str:
        if "‹" not in string and "\\u2039" not in string:
            return string
        inner = str(json.loads(string, strict=False))
        if (token := self._tokens.get(inner)) is not None:
            return token
        if inner[:1] in "{[" and inner[-1:] in "}]":
            back = self.put_back_json(inner)
            inner = inner if back == inner else back
        back = self.put_back(inner)
        return (
            string if back == str(json.loads(string, strict=False)) else json.dumps(back, ensure_ascii=False)
        )


def _comes_out(value: str, was: str, now: str) -> bool:
    return now.count(value) > was.count(value)


def _plain(token: str) -> str:
    return str(json.loads(token, strict=False)) if token[:1] == '"' else token


def exposes_secret(before: str, after: str, more_keys: Iterable[str]) -> bool:
    """Tell whether an edit would bring out a masked value: from under a telling key, under another one."""
    marks = ReversibleMasker(more_keys, b"-")
    marks.json(before)
    secrets = marks.hidden()
    if not secrets:
        return False
    was, now = Masker(more_keys).json(before), Masker(more_keys).json(after)
    return any(_escape(value) in now and _escape(value) not in was for value in secrets)


def _escape(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]
