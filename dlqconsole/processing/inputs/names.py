"""The names that we give to what people may say: parts of the filter, options of operations."""

import re
from collections import Counter
from collections.abc import Iterable

# small letters, digits and _, at most 40: a name stands in addresses, forms, commands and SQL alike
NAME = re.compile("[a-z][a-z0-9_]{0,39}")


def flag(name: str) -> str:
    """A name as it is typed on a command line: ``undo_seconds`` is ``--undo-seconds``."""
    return "--" + name.replace("_", "-")


def duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that stand among these more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)
