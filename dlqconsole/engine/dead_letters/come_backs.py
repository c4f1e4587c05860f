"""Dead letters that were revived and failed again too often, for people: conditions and sentences."""

from django.db.models import BooleanField, Func, Value
from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.states import REVIVABLE
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.moments import MINUTES, moment


def keeps_coming() -> Func:
    """Return the condition for a queryset of dead letters."""
    return Func(
        "come_backs",
        Value(retry_limits.most_come_backs()),
        function="dead_letter_keeps_coming",
        output_field=BooleanField(),
    )


def is_for_a_person(come_backs: int, status: str) -> bool:
    """Tell whether a dead letter that was read waits for a person."""
    return 0 < retry_limits.most_come_backs() <= come_backs and status in REVIVABLE


def sentence(letter: DeadLetter) -> str:
    """Return why automatic retries leave it alone, and what a person may do; empty where they do not."""
    if not is_for_a_person(letter.come_backs, letter.status):
        return ""
    since = moment(letter.first_failure_at, MINUTES)
    return _(
        "It failed again {come_backs:,} times since {since}: automatic retries stopped. Look"
        " at it, edit it, or revive it alone."
    ).format(come_backs=letter.come_backs, since=since)
