"""Parameters of a filter, read into one tree, and the tree as the facets and the text that are kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters import all_parts
from dlqconsole.engine.dead_letters.checking import checked
from dlqconsole.engine.dead_letters.conditions import paths
from dlqconsole.engine.dead_letters.filter_parts import Ago
from dlqconsole.engine.dead_letters.language.reading import (
    HAS,
    PAYLOAD_PREFIX,
    TEXT,
    Keys,
    Mistake,
    is_language,
    read,
)
from dlqconsole.engine.dead_letters.language.tree import (
    EVERYTHING,
    All,
    Term,
    Tree,
    conjuncts,
    literal,
    normal,
)
from dlqconsole.engine.dead_letters.language.writing import write
from dlqconsole.processing.inputs.plain_text import quoted

MAX_PATH_FILTERS = 5


class Facets(NamedTuple):
    """A filter's tree in parts: the first whole value of each key, of each payload path, and all else."""

    values: dict[str, Any]
    payload: dict[str, str]
    rest: tuple[Tree, ...]


def parse(texts: Mapping[str, Any], beside: Collection[str] | None = None) -> Tree:
    """Return the tree of a query string's parameters, checked and in order; all of them must match.

    ``beside``: what else may stand there; None: anything. Raises InvalidFilter with one sentence for each
    parameter that cannot be understood.
    """
    return _Parser(texts, beside).tree()


def in_order(tree: Tree) -> Tree:
    """Return the tree in its normal form: the same for the same meaning."""
    return normal(tree, _place)


def canonical(trees: tuple[Tree, ...]) -> str:
    """Return the text of trees that must all match; a lone text to search for is written as it was typed."""
    match trees:
        case (Term(key, (value,)),) if key == TEXT and not is_language(value.text, _keys()):
            return value.text
    return write(trees[0] if len(trees) == 1 else All(trees))


def facets(tree: Tree) -> Facets:
    """Return a checked tree in its normal form as facets."""
    parts = all_parts.by_name()
    values: dict[str, Any] = {}
    payload: dict[str, str] = {}
    rest: list[Tree] = []
    for each in conjuncts(tree):
        path = isinstance(each, Term) and each.key.startswith(PAYLOAD_PREFIX)
        if not isinstance(each, Term) or not each.is_plain or each.key == HAS:
            rest.append(each)
        elif path and each.key.removeprefix(PAYLOAD_PREFIX) not in payload:
            payload[each.key.removeprefix(PAYLOAD_PREFIX)] = each.values[0].text
        elif not path and each.key not in values:
            values[each.key] = parts[each.key].read(each.values[0].text)
        else:
            rest.append(each)
    return Facets(values, dict(sorted(payload.items())), tuple(rest))


class _Parser:
    """Reads parameters one by one and collects what is wrong with them."""

    def __init__(self, texts: Mapping[str, Any], beside: Collection[str] | None) -> None:
        self.texts, self.parts = texts, all_parts.by_name()
        # if it were ignored, an unknown one would match more dead letters than were asked for
        others = () if beside is None else (name for name in texts if name not in beside)
        unknown = [name for name in others if not all_parts.is_parameter(name)]
        self.problems: list[str] = [_unknown(unknown)] if unknown else []
        self.text, self.at = "", -1

    def tree(self) -> Tree:
        paths_given = sorted(name for name in self.texts if name.startswith(PAYLOAD_PREFIX))
        trees = [self._tree(name) for name in (*all_parts.parameters(), *paths_given)]
        if self.problems:
            raise InvalidFilter(self.problems, self.text, self.at)
        tree = in_order(All(tuple(trees)))
        if len({path for path, _term in paths(tree)}) > MAX_PATH_FILTERS:
            self.problems.append(
                _("At most {most} payload paths can be filtered at once.").format(most=MAX_PATH_FILTERS)
            )
        if _is_backwards(facets(tree).values):
            self.problems.append(_("since must be before until."))
        if self.problems:
            raise InvalidFilter(self.problems)
        return tree

    def _tree(self, name: str) -> Tree:
        text = str(self.texts.get(name) or "").strip()
        if not text:
            return EVERYTHING
        try:
            return checked(read(text, _keys()) if name == TEXT else literal(name, text), self.parts)
        except Mistake as mistake:
            self.problems.append(mistake.sentence)
            if name == TEXT and is_language(text, _keys()):
                self.text, self.at = text, mistake.at
            return EVERYTHING


def _is_backwards(values: Mapping[str, Any]) -> bool:
    """Tell whether it ends before it begins.

    An age passes a date some day: a filter that is kept stays readable, and matches nothing then.
    """
    since, until = values.get("since"), values.get("until")
    is_same_sort = isinstance(since, Ago) == isinstance(until, Ago)
    return bool(since and until and is_same_sort and since >= until)


def _unknown(names: Sequence[str]) -> str:
    return _(
        "The filter has a part that nobody knows: {name}. It has {names} and {payload_prefix}PATH."
    ).format(name=quoted(names[0]), names=", ".join(all_parts.parameters()), payload_prefix=PAYLOAD_PREFIX)


def _keys() -> Keys:
    return Keys((*all_parts.parameters(), HAS))


def _place(tree: Tree) -> tuple[int, str]:
    """Return the place of a tree among others: single terms first, as the parts stand."""
    names = all_parts.parameters()
    place = names.index(tree.key) if isinstance(tree, Term) and tree.key in names else len(names)
    return place, write(tree)
