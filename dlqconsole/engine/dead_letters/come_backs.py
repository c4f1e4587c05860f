"""Dead letters that were revived and failed again too often: they wait for a person.

One expression in the database decides it: ``dead_letter_keeps_coming``. Every statement that passes over
such dead letters asks it, with ``values()``.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db.models import BooleanField, Func, Value

from dlqconsole.engine.lifecycle.states import REVIVABLE
from dlqconsole.engine.models import DeadLetter


def most() -> int:
    """Return the number of failed revivals after which a person must act; 0: never."""
    return int(settings.DLQ_COME_BACKS)


def values() -> Mapping[str, int]:
    """Return the parameters of ``dead_letter_keeps_coming(come_backs, %(most_come_backs)s)``."""
    return {"most_come_backs": most()}


def keeps_coming() -> Func:
    """Return the condition for a queryset of dead letters."""
    return Func("come_backs", Value(most()), function="dead_letter_keeps_coming", output_field=BooleanField())


def is_for_a_person(come_backs: int, status: str) -> bool:
    """Tell whether a dead letter that was read waits for a person."""
    return 0 < most() <= come_backs and status in REVIVABLE


def sentence(letter: DeadLetter) -> str:
    """Return why automatic retries leave it alone, and what a person may do; empty where they do not."""
    if not is_for_a_person(letter.come_backs, letter.status):
        return ""
    since = f"{letter.first_failure_at:%Y-%m-%d %H:%M} UTC"
    return (
        f"It has come back {letter.come_backs:,} times since {since}: no machine puts it on its queue again."
        " Look at it, edit it, or revive it alone."
    )
