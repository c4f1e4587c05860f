"""Requests for a run now. A request is a row: the next tick finds it, even if the wake-up is lost."""

import logging

from dlqconsole import waking
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.retries.models import RunRequest

log = logging.getLogger(__name__)

# each tick reads the newest request; the others were served long ago
KEPT = 100


def request_run(*, actor: str, reason: str) -> RunRequest:
    """Request a run, audited. It begins within seconds if a worker runs."""
    with transaction.atomic():
        request = RunRequest.objects.create(asked_by=actor, reason=reason)
        RunRequest.objects.filter(pk__lte=request.pk - KEPT).delete()
        audit.record(actor, "run now", "schedule", reason=reason)
    return request


def wake() -> None:
    """Wake a worker at once. A broker that is away costs one tick, never an error."""
    try:
        waking.wake("retries.retry_due")
    except Exception as error:
        # kombu, redis, psycopg and the operating system each have their own words for "not there"
        log.warning("a run that was asked for waits for the next tick, the broker is away: %s", error)
