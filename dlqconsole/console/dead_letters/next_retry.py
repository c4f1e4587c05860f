"""When the schedule retries a dead letter next: a moment, or words where there is none."""

from datetime import datetime

from django.conf import settings

from dlqconsole.console.parts.tables import allowed_retries
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing.categories import RETRIED_BY_MACHINE
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.why import has_handler


def next_retry(letter: DeadLetter) -> datetime | str:
    """Never a moment that has passed: what is due says so, and what nobody retries as well."""
    if letter.status == DeadLetterStatus.RETRYING:
        return "running now"
    if letter.status != DeadLetterStatus.PENDING:
        return "none"
    if come_backs.is_for_a_person(letter.come_backs, letter.status):
        return "none: it keeps coming back"
    if letter.error_category not in RETRIED_BY_MACHINE or not settings.DLQ_RETRY_ENABLED:
        return "not by the schedule"
    if letter.retry_count >= allowed_retries(letter.max_retries):
        return "none: all are used"
    if not has_handler(letter.event_type):
        return "none: it has no handler"
    return "due now" if letter.retry_after <= database_now() else letter.retry_after
