"""The condition of a filter's tree on dead letters. A part of a row that has no value matches nothing.

So ``-queue:a`` has rows without a queue: each negation decides between true and false, never unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Coalesce

from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.dead_letters.filter_parts import FilterPart
from dlqconsole.engine.dead_letters.language.reading import HAS, PAYLOAD_PREFIX
from dlqconsole.engine.dead_letters.language.tree import All, AnyOf, Not, Term, Tree, Value, terms

_LOOKUPS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}

type Parts = Mapping[str, FilterPart]


def condition_of(tree: Tree, parts: Parts) -> Q:
    """Return the condition of a checked tree."""
    match tree:
        case Term():
            return _any(*(_of_value(tree, value, parts) for value in tree.values))
        case Not(part):
            condition = ExpressionWrapper(condition_of(part, parts), BooleanField())
            return ~Q(Coalesce(condition, False))
        case AnyOf(trees):
            return _any(*(condition_of(each, parts) for each in trees))
        case All(trees):
            result = Q()
            for each in trees:
                result &= condition_of(each, parts)
            return result


def paths(tree: Tree) -> list[tuple[str, Term]]:
    """Return the paths into the payload that it asks for, with their terms."""
    pairs = []
    for term in terms(tree):
        keys = [value.text for value in term.values] if term.key == HAS else [term.key]
        pairs += [(_path(key), term) for key in keys if key.startswith(PAYLOAD_PREFIX)]
    return pairs


def guessable(tree: Tree) -> str:
    """Return a path whose masked values it would find out piece by piece; else empty."""
    payload_paths = [path for path, term in paths(tree) if term.key != HAS and _is_in_part(term)]
    return next((path for path in payload_paths if searching.hides(path)), "")


def _is_in_part(term: Term) -> bool:
    return bool(term.comparison) or term.has_pattern


def _of_value(term: Term, value: Value, parts: Parts) -> Q:
    if term.key == HAS:
        return _of_any_value(value.text, parts)
    if term.key.startswith(PAYLOAD_PREFIX):
        return _at_path(_path(term.key), term.comparison, value)
    part = parts[term.key]
    if value.is_pattern:
        assert part.like  # noqa: S101 - checked
        return part.like(value.like())
    if term.comparison:
        return Q(**{f"{part.ordered}__{_LOOKUPS[term.comparison]}": part.read(value.text)})
    if part.means:
        return part.means(value.text).condition
    assert part.condition  # noqa: S101 - it has one or the other
    return part.condition(part.read(value.text))


def _of_any_value(key: str, parts: Parts) -> Q:
    if key.startswith(PAYLOAD_PREFIX):
        return searching.is_at_path(_path(key))
    exists = parts[key].exists
    assert exists  # noqa: S101 - checked
    return exists()


def _at_path(path: str, comparison: str, value: Value) -> Q:
    if value.is_pattern:
        return searching.like_at_path(path, value.like())
    if comparison:
        return searching.compared_at_path(path, comparison, value.text)
    return searching.at_path(path, value.text)


def _path(key: str) -> str:
    return key.removeprefix(PAYLOAD_PREFIX)


def _any(*conditions: Q) -> Q:
    result = Q(pk__in=())
    for condition in conditions:
        result |= condition
    return result
