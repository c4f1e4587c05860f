"""A sheet is the content of a file of rows: its columns, the query that has them, what leaves of a row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.formats.base import Column, Row


@dataclass(frozen=True, slots=True)
class Sheet:
    """``query``: a SELECT that has each column by its name, with its ``values`` by position.

    ``made``: from a row of texts to what may leave of it; None: all of it, as it stands. ``parts_query``: a
    SELECT of the numbers of rows by queue and event type; empty where rows have neither. ``noun``: one row in
    a sentence.
    """

    title: str
    noun: str
    columns: tuple[Column, ...]
    query: str
    values: tuple[Any, ...]
    made: Callable[[Row], Row] | None
    parts_query: str = ""
