"""Writing a tree down: the one canonical text of a filter, which reads back as the same tree."""

import re
from collections.abc import Callable

from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX, TEXT, WORDS
from dlqconsole.engine.dead_letters.language.tree import All, AnyOf, Not, Term, Tree, Value

_PLAIN = re.compile(r'[^\s()\[\]",\\*<>]+')
_PLAIN_TEXT = re.compile(r"[^\W_][\w.@/-]*")
_PLAIN_PATH = re.compile(r'[^\s:()\[\],"\\]+')
_SPECIAL = re.compile(r'([\s()\[\]",\\*<>])')

type Spelling = Callable[[Term, Value], str | None]


def write(tree: Tree, spelling: Spelling = lambda _term, _value: None) -> str:
    """Return a tree as text. ``spelling``: another text for a value, where it is not to be shown."""
    match tree:
        case Term():
            return _term(tree, spelling)
        case Not(part):
            return f"-{_within(part, spelling)}"
        case AnyOf(parts):
            return " OR ".join(write(part, spelling) for part in parts)
        case All(parts):
            return " ".join(
                _within(part, spelling) if isinstance(part, AnyOf) else write(part, spelling)
                for part in parts
            )


def quote(text: str) -> str:
    """Return the text in quotes: it is searched for as it stands."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _within(tree: Tree, spelling: Spelling) -> str:
    text = write(tree, spelling)
    return text if isinstance(tree, Term | Not) else f"({text})"


def _term(term: Term, spelling: Spelling) -> str:
    values = [spelling(term, value) or write_value(value, term.key == TEXT) for value in term.values]
    text = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
    return text if term.key == TEXT and len(values) == 1 else f"{_key(term.key)}:{term.comparison}{text}"


def _key(key: str) -> str:
    path = key.removeprefix(PAYLOAD_PREFIX)
    return key if path == key or _PLAIN_PATH.fullmatch(path) else PAYLOAD_PREFIX + quote(path)


def write_value(value: Value, is_text: bool = False) -> str:
    if value.is_pattern:
        return "*".join(_SPECIAL.sub(r"\\\1", piece) for piece in value.pieces)
    text = value.text
    plain = _PLAIN_TEXT if is_text else _PLAIN
    return text if plain.fullmatch(text) and text.upper() not in WORDS else quote(text)
