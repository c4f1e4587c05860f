"""Headings of tables that sort them: each is a link to the same page in another order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

DESCENDING = "-"  # before the name of a column


@dataclass(frozen=True, slots=True)
class Heading:
    """A link that sorts by its column. ``direction``: ``aria-sort`` of the one that sorts now, else empty."""

    url: str
    direction: str = ""


def heading(name: str, first: str, current: str, url_of: Callable[[str], str]) -> Heading:
    """The heading of a column. ``first``: the order it has first; ``current``: the one that the table has."""
    if current.removeprefix(DESCENDING) != name:
        return Heading(url_of(first))
    if current.startswith(DESCENDING):
        return Heading(url_of(name), "descending")
    return Heading(url_of(DESCENDING + name), "ascending")


def sort_of(text: str, columns: Mapping[str, Any], usual: str) -> str:
    """The order that an address names, if the table has this column; else the usual one."""
    return text if text.removeprefix(DESCENDING) in columns else usual
