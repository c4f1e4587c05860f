"""When the schedule retries a dead letter next: a moment, or words where there is none."""

from datetime import datetime

from django.conf import settings

from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries.why import Circumstances


def next_retry(letter: DeadLetter, around: Circumstances) -> datetime | str:
    """Never a moment that has passed: what is due says so, and what nobody retries as well."""
    if letter.status == DeadLetterStatus.RETRYING:
        return "running now"
    if letter.status != DeadLetterStatus.PENDING:
        return "none"
    if come_backs.is_for_a_person(letter.come_backs, letter.status):
        return "none: it keeps coming back"
    policy = around.held.policies.of(letter.event_type, letter.error_category, letter.group_id)
    if not policy.enabled or not settings.DLQ_RETRY_ENABLED:
        return "not by the schedule"
    if letter.retry_count >= around.allowed(letter):
        return "none: all are used"
    if not around.has_handler(letter.event_type):
        return "none: it has no handler"
    free = policy.free_at(max(letter.retry_after, around.now))
    if free is None:
        return "none: it is paused"
    return "due now" if free <= around.now else free
