"""Dead letters that were revived and failed again too often: they wait for a person.

One expression in the database decides it: ``dead_letter_keeps_coming``. Every statement that passes over
such dead letters asks it, with ``values()``.
"""

from collections.abc import Mapping

from dlqconsole.core.settings import settings


def most() -> int:
    """Return the number of failed revivals after which a person must act; 0: never."""
    return int(settings.DLQ_COME_BACKS)


def values() -> Mapping[str, int]:
    """Return the parameters of ``dead_letter_keeps_coming(come_backs, %(most_come_backs)s)``."""
    return {"most_come_backs": most()}
