"""Read events from a folder that was opened for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Field, Job


class Ingest(Job):
    name = "ingest"
    label = "Ingest"
    about = "Reads every file of a folder: each event becomes an enriched event or a dead letter, once."

    def fields(self) -> list[Field]:
        folders = tuple(settings.DLQ_INGEST_FOLDERS)
        return [
            Field(
                "source",
                "File or folder",
                help=f"Within {' or '.join(folders)}. What was read before changes nothing.",
                required=True,
                default=folders[0] if folders else "",
            )
        ]

    def why_not(self) -> str:
        if settings.DLQ_INGEST_FOLDERS:
            return ""
        return "No folder is open for it: name some in DLQ_INGEST_FOLDERS."

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        read = super().read(given)
        _check_within(read["source"])
        return read

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        return ["--once", "--source", arguments["source"]]


def _check_within(source: str) -> None:
    """Nobody reads this machine's files through the console: a link out of the folder counts as outside."""
    folders = [Path(folder).resolve() for folder in settings.DLQ_INGEST_FOLDERS]
    wanted = Path(source).resolve()
    if not any(wanted == folder or folder in wanted.parents for folder in folders):
        raise RunRefused(f"The console reads from {', '.join(map(str, folders))} alone (DLQ_INGEST_FOLDERS).")
