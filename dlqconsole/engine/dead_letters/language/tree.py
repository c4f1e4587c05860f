"""The tree of a filter: terms, joined by all, any and not; and its normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Value:
    """A value's text, in pieces: between them stands a ``*``, for any text. One piece: the text as it is."""

    pieces: tuple[str, ...]

    @property
    def is_pattern(self) -> bool:
        return len(self.pieces) > 1

    @property
    def text(self) -> str:
        return "*".join(self.pieces)

    def like(self) -> str:
        """Return the pattern for LIKE."""
        return "%".join(
            piece.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_") for piece in self.pieces
        )


@dataclass(frozen=True, slots=True)
class Term:
    """A key with its values, of which one must match; ``comparison``: how it compares (empty: equal)."""

    key: str
    values: tuple[Value, ...]
    comparison: str = ""
    # where it begins in the text; the places of its values
    at: int = field(default=0, compare=False)
    places: tuple[int, ...] = field(default=(), compare=False)

    @property
    def is_plain(self) -> bool:
        """Tell whether it is one whole value: a facet of the list can say it."""
        return not (self.comparison or len(self.values) > 1 or self.has_pattern)

    @property
    def has_pattern(self) -> bool:
        return any(value.is_pattern for value in self.values)


@dataclass(frozen=True, slots=True)
class Not:
    """The rest: what its part does not match, also where something has no value."""

    part: Tree


@dataclass(frozen=True, slots=True)
class All:
    """Every dead letter that all parts match; without parts, each."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Every dead letter that at least one part matches."""

    parts: tuple[Tree, ...]


type Tree = Term | Not | All | AnyOf

EVERYTHING = All(())


def literal(key: str, text: str) -> Term:
    """Return a term for one text as it stands."""
    return Term(key, (Value((text,)),))


def terms(tree: Tree) -> Iterator[Term]:
    """Yield every term."""
    match tree:
        case Term():
            yield tree
        case Not(part):
            yield from terms(part)
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from terms(part)


def each_term(tree: Tree, change: Callable[[Term], Term]) -> Tree:
    """Return the tree with another term for each."""
    match tree:
        case Term():
            return change(tree)
        case Not(part):
            return Not(each_term(part, change))
        case All(parts) | AnyOf(parts):
            return type(tree)(tuple(each_term(part, change) for part in parts))


def conjuncts(tree: Tree) -> tuple[Tree, ...]:
    """Return the trees that must all match."""
    return tree.parts if isinstance(tree, All) else (tree,)


def normal(tree: Tree, order: Callable[[Tree], object]) -> Tree:
    """Return the one form of a tree: nothing nested or said twice, and in order."""
    match tree:
        case Term(key, values, comparison):
            return Term(key, tuple(sorted(set(values), key=lambda each: each.pieces)), comparison)
        case Not(part):
            inner = normal(part, order)
            return inner.part if isinstance(inner, Not) else Not(inner)
        case All(parts) | AnyOf(parts):
            same = type(tree)
            flat: dict[Tree, None] = {}
            for part in parts:
                inner = normal(part, order)
                flat |= dict.fromkeys(inner.parts if isinstance(inner, same) else (inner,))
            ordered = tuple(sorted(flat, key=order))  # type: ignore[arg-type]
            return ordered[0] if len(ordered) == 1 else same(ordered)
