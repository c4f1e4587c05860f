"""Names in the environment that look like settings and are none: said once, for nobody reads them."""

import os
import sys
from difflib import get_close_matches

from .table import BY_NAME

OURS = "DLQ_"
# for the tests, and for whoever runs them
OTHERS = frozenset({"DLQ_CHROMIUM", "DLQ_MARIADB", "DLQ_CRASH_POINT", "DLQ_PIN"})
OF_TESTS = "DLQ_TEST_"
# tells the processes that this one starts what was said already
SAID = "_DLQ_UNKNOWN_NAMES"


def sentences() -> list[str]:
    """One for each such name, with the nearest that there is. Never holds a value."""
    names = sorted(name for name in os.environ if name.startswith(OURS) and not name.startswith(OF_TESTS))
    return [_sentence(name) for name in names if name not in BY_NAME and name not in OTHERS]


def say_once() -> None:
    """Say them on the standard error, unless this process or the one that started it did."""
    found = " ".join(sentences())
    if found and os.environ.get(SAID) != found:
        os.environ[SAID] = found
        print(found, file=sys.stderr)


def _sentence(name: str) -> str:
    shown = name if name.isprintable() else ascii(name)
    nearest = get_close_matches(name, BY_NAME, 1)
    return f"{shown} is no setting and is ignored{f'; did you mean {nearest[0]}?' if nearest else '.'}"
