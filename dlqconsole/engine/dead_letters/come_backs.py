"""What keeps coming back: revived so often, failed again each time, and so a person's and no machine's.

Whether a dead letter does is one expression, ``dead_letter_keeps_coming`` in the database. Every statement
that passes such ones over asks it, with ``values()``.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db.models import BooleanField, Func, Value

from dlqconsole.engine.lifecycle.states import REVIVABLE
from dlqconsole.engine.models import DeadLetter


def most() -> int:
    """So often it goes to a person; 0: never."""
    return int(settings.DLQ_COME_BACKS)


def values() -> Mapping[str, int]:
    """What a statement shows that asks ``dead_letter_keeps_coming(come_backs, %(most_come_backs)s)``."""
    return {"most_come_backs": most()}


def keeps_coming() -> Func:
    """The same as a condition of a queryset of dead letters."""
    return Func("come_backs", Value(most()), function="dead_letter_keeps_coming", output_field=BooleanField())


def is_for_a_person(come_backs: int, status: str) -> bool:
    """The same of what has been read, while it still needs somebody."""
    return 0 < most() <= come_backs and status in REVIVABLE


def sentence(letter: DeadLetter) -> str:
    """Why it is left alone, and what a person may do; empty where it is not."""
    if not is_for_a_person(letter.come_backs, letter.status):
        return ""
    since = f"{letter.first_failure_at:%Y-%m-%d %H:%M} UTC"
    return (
        f"It has come back {letter.come_backs:,} times since {since}: no machine puts it on its queue again."
        " Look at it, edit it, or revive it alone."
    )
