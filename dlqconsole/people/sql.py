"""The named queries about people: ``sql("accounts.person")``."""

from functools import cache
from pathlib import Path

from dlqconsole.core.named_sql import load
from dlqconsole.hosting.accounts import translated

_named = load(Path(__file__).parent)


@cache
def sql(name: str) -> str:
    """Return the query, with the names of the project's accounts."""
    return translated(_named(name))
