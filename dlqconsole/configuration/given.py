"""One setting as plain text, with nothing but the standard library: for the demo and for Spark workers."""

import os

from .table import BY_NAME


def is_given(name: str) -> bool:
    """Whether the environment says anything; a default does not count. KeyError as below."""
    return bool(os.environ.get(BY_NAME[name].name))


def given_text(name: str) -> str:
    """What the environment says, else the default as text. Nothing is checked: `reading` does that.

    Raises KeyError for a name that is not in the table.
    """
    row = BY_NAME[name]
    return os.environ.get(name) or row.default_text
