"""Somebody wants a run now. The request is a row: the next tick finds it, whatever becomes of the wake-up."""

import logging

from django.db import transaction

from dlqconsole.celery import app
from dlqconsole.engine import audit
from dlqconsole.retries.models import RunRequest

log = logging.getLogger(__name__)

# the newest is asked for at each tick; the others were served long ago
KEPT = 100
EXPIRES_SECONDS = 60


def ask_for_run(*, actor: str, reason: str) -> RunRequest:
    """Ask for a run, audited. It begins within seconds, where a worker runs."""
    with transaction.atomic():
        asked = RunRequest.objects.create(asked_by=actor, reason=reason)
        RunRequest.objects.filter(pk__lte=asked.pk - KEPT).delete()
        audit.record(actor, "run now", "schedule", reason=reason)
    return asked


def wake() -> None:
    """Let a worker look at once. A broker that is away costs one tick, never an error."""
    try:
        app.send_task("retries.retry_due", expires=EXPIRES_SECONDS)
    except Exception as error:
        # kombu, redis and the operating system each have their own words for "not there"
        log.warning("a run that was asked for waits for the next tick, the broker is away: %s", error)
