"""Reading the filter language: a text becomes a tree, or a mistake at its place.

A text without a key is searched for as it stands, whatever it has in it: an id, a line of a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from django.utils.translation import gettext as _

from dlqconsole.engine.dead_letters.language.tree import All, AnyOf, Not, Term, Tree, Value, literal

TEXT = "q"
HAS = "has"
PAYLOAD_PREFIX = "payload."
WORDS = ("OR", "AND", "NOT")
LONGEST = 2_000
MOST_TERMS = 60
DEEPEST = 12

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_KEY = rf"(?:payload\.(?:{_QUOTED}|[^\s:()\[\],\"]+)|[A-Za-z_]\w*)"
_KEYED = re.compile(rf"({_KEY}):(?!//)")
_STRING = re.compile(_QUOTED)
_COMPARISON = re.compile(r">=|<=|>|<")
_BARE = re.compile(r'(?:\\(?:.|\Z)|[^\s()"\\])+')
_LISTED = re.compile(r'(?:\\(?:.|\Z)|[^\s()",\]\\])+')
# what a backslash precedes, and anything else
_CHARACTERS = re.compile(r'\\([\s()\[\]",\\*<>])|(.)', re.DOTALL)
_WORD = re.compile(r'[^\s()"]+')
_WORD_OR_MARK = re.compile(r"[^\s)]")
_SPACE = re.compile(r"\s*")
# where a key can begin, outside of quotes
_TOKEN = re.compile(rf"{_QUOTED}|(?:(?<=\s)|(?<=[(-])|^)({_KEY}):(?!//)|(?<=\s)(OR)(?=\s)", re.ASCII)
_ONLY_STRING = re.compile(rf"-?{_QUOTED}")


class Mistake(Exception):
    """A text that is no filter: the sentence, and the place in the text."""

    def __init__(self, sentence: str, at: int) -> None:
        super().__init__(sentence)
        self.sentence, self.at = sentence, at


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that there are; payload paths come beside them."""

    names: tuple[str, ...]

    def knows(self, key: str) -> bool:
        return key in self.names or key.startswith(PAYLOAD_PREFIX)

    def near(self, key: str) -> str:
        """Return the key that was probably meant; empty where none is alike."""
        return next(iter(get_close_matches(key.lower(), self.names, 1, 0.75)), "")


def read(text: str, keys: Keys) -> Tree:
    """Return the tree of a text. Raises Mistake."""
    if not is_language(text, keys):
        return literal(TEXT, text)
    if len(text) > LONGEST:
        raise Mistake(
            _("The filter has {text:,} characters; the limit is {longest:,}.").format(
                text=len(text), longest=LONGEST
            ),
            LONGEST,
        )
    return _Reader(text, keys).tree()


def is_language(text: str, keys: Keys) -> bool:
    """Tell whether a text has keys, OR or quotes around it; else it is a text to search for."""
    if _ONLY_STRING.fullmatch(text.strip()):
        return True
    marks = [match for match in _TOKEN.finditer(text) if match[1] or match[2]]
    return any(match[2] or keys.knows(match[1]) or _is_typing_error(match[1], keys) for match in marks)


def _is_typing_error(key: str, keys: Keys) -> bool:
    return key.islower() and bool(keys.near(key))


class _Reader:
    """Reads from left to right; ``at`` is where it stands."""

    def __init__(self, text: str, keys: Keys) -> None:
        self.text, self.keys, self.at, self.number, self.depth = text, keys, 0, 0, 0

    def tree(self) -> Tree:
        tree = self._any()
        if self.at < len(self.text):
            raise Mistake(_("This closing parenthesis has no opening one."), self.at)
        return tree

    def _any(self) -> Tree:
        parts = [self._all()]
        while self._word_is("OR"):
            self.at += 2
            parts.append(self._all())
        return AnyOf(tuple(parts)) if len(parts) > 1 else parts[0]

    def _all(self) -> Tree:
        parts: list[Tree] = []
        self._skip()
        begin = self.at
        while not self._is_end():
            if self._word_is("AND") and parts:
                self.at += 3
                self._skip()
                if self._is_end():
                    raise Mistake(_("A condition is missing behind AND."), self.at)
            parts.append(self._one())
            self._skip()
        if not parts:
            raise Mistake(_("A condition is missing here."), begin)
        return All(tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> Tree:
        if self._is_minus():
            return self._not(1)
        if self._word_is("NOT"):
            return self._not(3)
        if self._peek() == "(":
            return self._group()
        if match := _KEYED.match(self.text, self.at):
            return self._term(match)
        return self._free_text()

    def _not(self, length: int) -> Tree:
        begin = self.at
        self.at += length
        self._skip()
        if self._is_end():
            raise Mistake(_("A condition is missing behind it."), begin)
        return Not(self._nested(self._one, begin))

    def _group(self) -> Tree:
        begin = self.at
        self.at += 1
        tree = self._nested(self._any, begin)
        if self._peek() != ")":
            raise Mistake(_("This parenthesis is never closed."), begin)
        self.at += 1
        return tree

    def _nested(self, inner: Callable[[], Tree], begin: int) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Mistake(
                _("Conditions can stand at most {deepest} deep in one another.").format(deepest=DEEPEST),
                begin,
            )
        tree = inner()
        self.depth -= 1
        return tree

    def _term(self, match: re.Match[str]) -> Tree:
        begin, key = self.at, _key(match[1])
        if not self.keys.knows(key):
            raise Mistake(self._unknown(key), begin)
        self._count(begin)
        self.at = match.end()
        compares = _COMPARISON.match(self.text, self.at)
        if compares:
            self.at = compares.end()
        is_list = self._peek() == "[" and not compares
        values = self._list(key) if is_list else [self._value(key, _BARE)]
        self._needs_space()
        texts, places = tuple(value for value, _at in values), tuple(at for _value, at in values)
        return Term(key, texts, compares[0] if compares else "", begin, places)

    def _list(self, key: str) -> list[tuple[Value, int]]:
        begin, values = self.at, list[tuple[Value, int]]()
        self.at += 1
        while True:
            self._skip()
            values.append(self._value(key, _LISTED))
            self._count(begin)
            self._skip()
            if self._peek() == "]":
                self.at += 1
                return values
            if self._peek() != ",":
                raise Mistake(_("This list is never closed: write [a, b]."), begin)
            self.at += 1

    def _value(self, key: str, bare: re.Pattern[str]) -> tuple[Value, int]:
        begin = self.at
        if match := _STRING.match(self.text, begin):
            self.at = match.end()
            return Value((_unquoted(match[0]),)), begin
        if self._peek() == '"':
            raise Mistake(_("These quotes are never closed."), begin)
        match = bare.match(self.text, begin)
        if not match:
            raise Mistake(
                _("{key} needs a value right behind the colon, such as {key}:…").format(key=key), begin
            )
        self.at = match.end()
        return Value(_pieces(match[0])), begin

    def _free_text(self) -> Tree:
        begin = self.at
        self._count(begin)
        if match := _STRING.match(self.text, begin):
            self.at = match.end()
            self._needs_space()
            return Term(TEXT, (Value((_unquoted(match[0]),)),), "", begin, (begin,))
        end = begin
        while match := _WORD.match(self.text, self.at):
            self.at = end = match.end()
            self._skip()
            if self._is_end() or self._is_mark():
                break
        if end == begin:
            raise Mistake(_("These quotes are never closed."), begin)
        text = self.text[begin:end]
        _check_capitals(text, begin)
        return Term(TEXT, (Value((text,)),), "", begin, (begin,))

    def _is_mark(self) -> bool:
        """Tell whether something else than a word of a text begins here."""
        words = any(self._word_is(word) for word in WORDS)
        return words or self._peek() in '("' or self._is_minus() or bool(_KEYED.match(self.text, self.at))

    def _is_minus(self) -> bool:
        return self._peek() == "-" and bool(_WORD_OR_MARK.match(self.text, self.at + 1))

    def _unknown(self, key: str) -> str:
        near = self.keys.near(key)
        if near:
            return _("There is no key {value}; did you mean {near}?").format(value=key[:60], near=near)
        return _("There is no key {value}. The keys are {names}, payload.PATH.").format(
            value=key[:60], names=", ".join(self.keys.names)
        )

    def _count(self, at: int) -> None:
        self.number += 1
        if self.number > MOST_TERMS:
            raise Mistake(
                _("A filter has at most {most_terms} conditions.").format(most_terms=MOST_TERMS), at
            )

    def _needs_space(self) -> None:
        if not (self._peek() in ("", ")") or self._peek().isspace()):
            raise Mistake(_("A space is missing here, or quotes around the value."), self.at)

    def _word_is(self, word: str) -> bool:
        self._skip()
        behind = self.text[self.at + len(word) : self.at + len(word) + 1]
        return self.text.startswith(word, self.at) and (not behind or behind in '("' or behind.isspace())

    def _is_end(self) -> bool:
        return self._peek() in ("", ")") or self._word_is("OR")

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at


def _check_capitals(text: str, at: int) -> None:
    """Refuse a text that begins or ends with "or": read as a text to search for, it would match nothing."""
    first, last = text.split()[0], text.split()[-1]
    word = first if first.upper() in WORDS else last
    if word.upper() in WORDS:
        raise Mistake(
            _("Write {word} in capitals, or “{text}” in quotes to search for it.").format(
                word=word.upper(), text=text[:60]
            ),
            at,
        )


def _key(text: str) -> str:
    path = text.removeprefix(PAYLOAD_PREFIX)
    return PAYLOAD_PREFIX + _unquoted(path) if path != text and path.startswith('"') else text


def _unquoted(text: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


def _pieces(text: str) -> tuple[str, ...]:
    """Split at each star that no backslash precedes. Before what means nothing else, a backslash is one."""
    pieces = [""]
    for escaped, character in _CHARACTERS.findall(text):
        if character == "*":
            pieces.append("")
        else:
            pieces[-1] += escaped or character
    return tuple(pieces)
