"""Numbers with their nouns, as a sentence for people has them."""

from collections.abc import Sequence


def counted(number: int, nouns: str) -> str:
    """``1 day``, ``1,204 days``; ``nouns``: the plural."""
    return f"{number:,} {nouns.removesuffix('s') if number == 1 else nouns}"


def named(names: Sequence[str], most: int) -> str:
    """``a``, ``a and b``, ``a, b and 1,204 more``; at most so many are named."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    *first, last = [*names[:most], *more]
    return f"{', '.join(first)} and {last}" if first else last
