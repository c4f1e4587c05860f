"""How the catalog's words are written for people: always so that PostgreSQL reads the same in them again."""

import re
from textwrap import wrap

WIDTH = 110
_TYPES = {
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "character varying": "varchar",
}
_LIST = re.compile(r"(\w+)::text = ANY \(\(?ARRAY\[([^]]*)\]\)?::text\[\]\)")
_COLUMN = re.compile(r"(\b\w+)::text(?= (?:=|<>|~) ')")
_CONSTANT = re.compile(r"((?:'(?:[^']|'')*'|\bNULL))::(?:character varying|text)(?!\[)")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\r": "\\r", "\n": "\\n"}
_NUMBER = re.compile(r"'?(-?[0-9.]+)'?::(?:integer|double precision)")
_BREAK = re.compile(r" (?=(?:AND|OR|WHERE|INHERITS|REFERENC\w+|DEFERRABLE|FOR EACH|WITH) )|(?<=,) ")


def short_type(words: str) -> str:
    """varchar(255) for "character varying(255)"."""
    for long, short in _TYPES.items():
        words = words.replace(long, short)
    return words


def plain(expression: str) -> str:
    """``status IN ('a', 'b')`` for what PostgreSQL makes of it: casts to text, and an array."""
    expression = _LIST.sub(r"\1 IN (\2)", " ".join(expression.split()))
    for pattern in (_CONSTANT, _COLUMN, _NUMBER):
        expression = pattern.sub(r"\1", expression)
    return short_type(expression)


def visible(expression: str) -> str:
    """``E'\\t'`` for a tab as it is: what nobody sees gets lost, and a file of text must not hold it."""
    return _TEXT.sub(
        lambda found: _escaped(found[0]) if set(found[0]) & set("\t\r\n") else found[0], expression
    )


def folded(line: str, indent: str) -> str:
    """A long line in several, broken where no text constant is."""
    first, *others = _pieces(line)
    lines = [first]
    for piece in others:
        if len(lines[-1]) + len(piece) > WIDTH:
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


def remark(words: str | None, indent: str = "") -> list[str]:
    """A comment as lines of SQL; none where there are no words."""
    lead = f"{indent}-- "
    return wrap(words, WIDTH, initial_indent=lead, subsequent_indent=lead) if words else []


def quoted(words: str) -> str:
    """A text constant."""
    return "'" + words.replace("'", "''") + "'"


def _escaped(constant: str) -> str:
    return "E" + "".join(_ESCAPES.get(character, character) for character in constant)


def _pieces(line: str) -> list[str]:
    """The line, cut before each place where it may be broken; each piece keeps the space before it."""
    cuts = [found.start() for found in _BREAK.finditer(line) if line.count("'", 0, found.start()) % 2 == 0]
    ends = [*cuts, len(line)]
    return [line[begin:end] for begin, end in zip([0, *cuts], ends, strict=True)]
