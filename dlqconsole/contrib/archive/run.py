"""The archive's run: its job, and the tick that asks for it once a day."""

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.contrib.archive.counting import last_run
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.fields import Field, WholeNumber
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.quantities import counted
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Job

OLDER, OLD_ENOUGH = stored("older than {days_sentence}"), stored("what is old enough")

log = logging.getLogger(__name__)
ACTOR = "archive"
# a run that failed is repeated sooner
EVERY_SECONDS, AGAIN_SECONDS = 86_400.0, 3_600.0
_LONGEST = 36_500


class ArchiveJob(Job):
    name = "archive"
    label = gettext_lazy("Archive")
    about = gettext_lazy(
        "Writes what is closed and old to Parquet files, verifies them, and deletes it from the tables."
    )
    # its deletions can be undone, but only one by one
    role = "admin"
    # no JVM: one process, and a file's rows at a time
    memory = 512
    repeats = True

    def fields(self) -> list[Field]:
        days = settings.DLQ_ARCHIVE_AFTER_DAYS
        hint = _("DLQ_ARCHIVE_AFTER_DAYS is 0: never.")
        if days:
            hint = _("Empty: {days:,} (DLQ_ARCHIVE_AFTER_DAYS).").format(days=days)
        return [
            WholeNumber(
                name="older_than",
                label=_("Older than, in days"),
                hint=hint,
                is_required=False,
                low=1,
                high=_LONGEST,
            )
        ]

    def subject(self, arguments: Mapping[str, Any]) -> str:
        days = arguments.get("older_than")
        return OLDER.format(days_sentence=counted(int(days), "days")) if days else OLD_ENOUGH

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        days = arguments.get("older_than")
        return ["--older-than", days] if days else []


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
