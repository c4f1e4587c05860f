"""Read events from a folder that was opened for it."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from dlqconsole.processing.beneath import open_beneath
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
                help=f"Within {' or '.join(folders)}, and no link. What was read before changes nothing.",
                required=True,
                default=folders[0] if folders else "",
            )
        ]

    def why_not(self) -> str:
        if settings.DLQ_INGEST_FOLDERS:
            return ""
        return "No folder is open for it: name some in DLQ_INGEST_FOLDERS."

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Who asks hears at once what is not there or is a link; it holds when its process opens it, too."""
        read = super().read(given)
        source = str(Path(read["source"]).absolute())
        _look(source, _folder_of(source))
        return read | {"source": source}

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """By the folders of who starts it: the row is another's word."""
        source = arguments["source"]
        return ["--once", "--source", source, "--within", _folder_of(source)]


def _folder_of(source: str) -> str:
    """Which of the open folders a path lies in by its name; where that leads is seen when it is opened."""
    folders = [Path(folder).absolute() for folder in settings.DLQ_INGEST_FOLDERS]
    for folder in folders:
        if Path(source).is_relative_to(folder) and ".." not in Path(source).relative_to(folder).parts:
            return str(folder)
    raise RunRefused(f"The console reads from {', '.join(map(str, folders))} alone (DLQ_INGEST_FOLDERS).")


def _look(source: str, folder: str) -> None:
    """Nobody reads this machine's files through the console, nor asks for what he puts there afterwards."""
    try:
        os.close(open_beneath(folder, source))
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise RunRefused(f"There is no file or folder {source}.") from error
        raise RunRefused(f"{source} cannot be read: {error.strerror}.") from error
