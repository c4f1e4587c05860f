"""Numbers with their nouns, and lengths of time, as people say them."""

from collections.abc import Sequence

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def duration(seconds: float) -> str:
    """The largest unit that fits: ``3 h``."""
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"


def duration_in_two(seconds: float) -> str:
    """The two largest units that fit: ``1 h 58 min``, of which ``1 h`` would be only half the truth."""
    rest, parts = round(seconds), list[str]()
    for size, unit in _STEPS:
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number:,} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"


def counted(number: int, nouns: str) -> str:
    """``1 day``, ``1,204 days``; ``nouns``: the plural."""
    return f"{number:,} {nouns.removesuffix('s') if number == 1 else nouns}"


def named(names: Sequence[str], most: int) -> str:
    """``a``, ``a and b``, ``a, b and 1,204 more``; at most so many are named."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    *first, last = [*names[:most], *more]
    return f"{', '.join(first)} and {last}" if first else last
