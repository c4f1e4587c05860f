"""Checks of a filter's terms by the parts that they name: a value becomes its canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.dead_letters.filter_parts import FilterPart, NotReadable, as_text, fixed_text
from dlqconsole.engine.dead_letters.language.reading import HAS, PAYLOAD_PREFIX, Mistake
from dlqconsole.engine.dead_letters.language.tree import Term, Tree, Value, each_term
from dlqconsole.processing.inputs.numbers import as_decimal
from dlqconsole.processing.inputs.plain_text import is_storable, quoted

MAX_LENGTH = 500


def checked(tree: Tree, parts: Mapping[str, FilterPart]) -> Tree:
    """Return the tree with each value as its part reads it. Raises Mistake at the first it cannot."""
    return each_term(tree, partial(_term, parts=parts))


def fixed(tree: Tree, parts: Mapping[str, FilterPart]) -> Tree:
    """Return a checked tree with each age as the moment that it is now."""
    return each_term(tree, partial(_fixed, parts=parts))


def _fixed(term: Term, parts: Mapping[str, FilterPart]) -> Term:
    if term.key not in parts or term.has_pattern:
        return term
    read = (Value((fixed_text(parts[term.key].read(value.text)),)) for value in term.values)
    return replace(term, values=tuple(read))


def _term(term: Term, parts: Mapping[str, FilterPart]) -> Term:
    places = term.places or (term.at,) * len(term.values)
    read = (_value(term, value, at, parts) for value, at in zip(term.values, places, strict=True))
    return replace(term, values=tuple(read))


def _value(term: Term, value: Value, at: int, parts: Mapping[str, FilterPart]) -> Value:
    key = term.key
    if problem := _unstorable(value.text):
        raise Mistake(f"{key} {problem}.", at)
    if key == HAS:
        return _key_that_may_lack(term, value, at, parts)
    if key.startswith(PAYLOAD_PREFIX):
        _check_path(key, at)
        if term.comparison and value.is_pattern:
            raise Mistake(_("{key} compares with a value; a * cannot stand in it.").format(key=key), at)
        return Value((_as_compared(value.text, key, at),)) if term.comparison else value
    part = parts[key]
    if term.comparison and not part.ordered:
        raise Mistake(
            _("{key} has no order; write {key}:VALUE without {comparison}").format(
                key=key, comparison=term.comparison
            ),
            at,
        )
    if value.is_pattern and part.means:
        value = Value((value.text,))  # a text is found anywhere: its star is a star
    if value.is_pattern and not part.like:
        raise Mistake(
            _("{key} takes whole values, no *; put a star that belongs to the value in quotes.").format(
                key=key
            ),
            at,
        )
    return value if value.is_pattern else Value((as_text(_read(part, value.text, at)),))


def _read(part: FilterPart, text: str, at: int) -> Any:
    if not text.strip():
        raise Mistake(_("{name} needs a value.").format(name=part.name), at)
    try:
        return part.read(text.strip())
    except NotReadable as problem:
        raise Mistake(_sentence(f"{part.name} {problem}"), at) from problem
    except (ValueError, LookupError, ArithmeticError) as error:
        # an error of somebody's own ``read`` is not written for people
        raise Mistake(
            _("{name} cannot be understood; it is {text}.").format(name=part.name, text=quoted(text)), at
        ) from error


def _as_compared(text: str, key: str, at: int) -> str:
    """Return a number in its one form: ``1e3`` is 1000; a text as it is. Raises Mistake."""
    try:
        number = as_decimal(text)
    except OverflowError as problem:
        raise Mistake(
            _("{key} compares with numbers of at most 300 digits on each side of the point.").format(key=key),
            at,
        ) from problem
    return text if number is None else number


def _key_that_may_lack(term: Term, value: Value, at: int, parts: Mapping[str, FilterPart]) -> Value:
    key = value.text
    if key.startswith(PAYLOAD_PREFIX):
        _check_path(key, at)
    elif term.comparison or value.is_pattern or key not in parts or not parts[key].exists:
        names = ", ".join(name for name, part in parts.items() if part.exists)
        raise Mistake(
            _("{has} takes {names} or payload.PATH; it is {key}.").format(
                has=HAS, names=names, key=quoted(key)
            ),
            at,
        )
    return value


def _check_path(key: str, at: int) -> None:
    path = key.removeprefix(PAYLOAD_PREFIX)
    if not path or len(path) > MAX_LENGTH or not path.isprintable() or not is_storable(path):
        raise Mistake(
            _("payload.{value!r} is not a path; write payload.data.order_id:7.").format(value=path[:40]), at
        )


def _unstorable(text: str) -> str:
    """Return what makes a text impossible as a value; empty where nothing does."""
    if "\x00" in text:
        return _("holds a NUL character, which no dead letter can contain")
    if not is_storable(text):
        return _("is not UTF-8: it holds half a character, or stray bytes")
    return (
        _("has {number:,} characters; the limit is {limit}").format(number=len(text), limit=MAX_LENGTH)
        if len(text) > MAX_LENGTH
        else ""
    )


def _sentence(text: str) -> str:
    return text if text.endswith(("?", "\uff1f")) else _("{sentence}.").format(sentence=text)
