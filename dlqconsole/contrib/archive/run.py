"""The job that moves closed and old rows to the archive."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dlqconsole.processing.inputs.fields import Field, WholeNumber
from dlqconsole.processing.quantities import counted
from dlqconsole.runs.jobs.base import Job

_LONGEST = 36_500


class ArchiveJob(Job):
    name = "archive"
    label = "Archive"
    about = "Writes what is closed and old to Parquet files, verifies them, and deletes it from the tables."
    # its deletions can be undone, but only one by one
    role = "admin"
    # no JVM: one process, and a file's rows at a time
    memory = 512
    repeats = True

    def fields(self) -> list[Field]:
        days = settings.DLQ_ARCHIVE_AFTER_DAYS
        help = f"Empty: {days:,} (DLQ_ARCHIVE_AFTER_DAYS)." if days else "DLQ_ARCHIVE_AFTER_DAYS is 0: never."
        return [
            WholeNumber(
                name="older_than",
                label="Older than, in days",
                hint=help,
                is_required=False,
                low=1,
                high=_LONGEST,
            )
        ]

    def subject(self, arguments: Mapping[str, Any]) -> str:
        days = arguments.get("older_than")
        return f"older than {counted(int(days), 'days')}" if days else "what is old enough"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        days = arguments.get("older_than")
        return ["--older-than", days] if days else []
