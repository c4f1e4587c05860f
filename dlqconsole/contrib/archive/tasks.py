"""The Celery tasks of the archive."""

import logging

from django.conf import settings

from dlqconsole.celery import app
from dlqconsole.contrib.archive.counting import last_run
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused

log = logging.getLogger(__name__)
ACTOR = "archive"
# a run that failed is repeated sooner
EVERY_SECONDS, AGAIN_SECONDS = 86_400.0, 3_600.0


@app.task(name="archive.ask")
def ask() -> None:
    """Request the archive's run when it is due: the tick."""
    request_when_due()


def request_when_due() -> int | None:
    """Request a run if the last one began a day ago, or failed an hour ago; its number, or None: not due."""
    if not settings.DLQ_ARCHIVE_AFTER_DAYS:
        return None
    last = last_run()
    if last and last["seconds"] < (AGAIN_SECONDS if last["status"] == "failed" else EVERY_SECONDS):
        return None
    try:
        return service.ask("archive", {}, ACTOR, reason="once a day")
    except RunRefused as refusal:
        log.info("the archive's daily run was not asked for: %s", refusal)
        return None
