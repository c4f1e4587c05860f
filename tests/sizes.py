"""How many of a thing a heavy test takes.

`make test` takes enough to meet everything that the test is about; `make soak` (DLQ_TEST_SOAK) as much as a
bad day brings. The same tests, the same seeds, the same verdicts. What is not marked as Spark's or as a fault
is marked "sized", for `make soak` to find it.
"""

import os

SOAK = bool(os.environ.get("DLQ_TEST_SOAK"))


def sized(usual: int, soak: int) -> int:
    """``usual`` in each run of the tests, ``soak`` when they are given the time."""
    return soak if SOAK else usual
