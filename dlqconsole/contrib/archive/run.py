"""The job that moves closed and old rows to the archive."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dlqconsole.processing.plurals import counted
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Field, Job

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
        return [Field("older_than", "Older than, in days", help=help)]

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        arguments = super().read(values)
        days = arguments.get("older_than", "")
        if days and not (days.isascii() and days.isdigit() and 0 < int(days[:9]) <= _LONGEST):
            raise RunRefused(f"Older than must be a whole number of days from 1 to {_LONGEST:,}.")
        return arguments

    def subject(self, arguments: Mapping[str, Any]) -> str:
        days = arguments.get("older_than")
        return f"older than {counted(int(days), 'days')}" if days else "what is old enough"

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        days = arguments.get("older_than")
        return ["--older-than", days] if days else []
