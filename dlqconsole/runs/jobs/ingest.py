"""The job that reads events from a folder of DLQ_INGEST_FOLDERS."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.fields import Field, Text
from dlqconsole.processing.plain_files import open_beneath
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import Job


class IngestJob(Job):
    name = "ingest"
    label = gettext_lazy("Ingest")
    about = gettext_lazy(
        "Reads every file of a folder: each event becomes an enriched event or a dead letter, once."
    )

    def fields(self) -> list[Field]:
        folders = tuple(settings.DLQ_INGEST_FOLDERS)
        return [
            Text(
                name="source",
                what=gettext_lazy("File or folder"),
                label=gettext_lazy("File or folder"),
                hint=_("Within {names}, and no link. Lines read before change nothing.").format(
                    names=" or ".join(folders)
                ),
                limit=1_000,
                proposal=folders[0] if folders else "",
            )
        ]

    def why_not(self) -> str:
        if settings.DLQ_INGEST_FOLDERS:
            return ""
        return _("No folder is open for it: name some in DLQ_INGEST_FOLDERS.")

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse a missing path or a link at once; the process checks the same when it opens the path."""
        arguments = super().read(values)
        source = str(Path(arguments["source"]).absolute())
        _check_readable(source, _folder_of(source))
        return arguments | {"source": source}

    def command(self, arguments: Mapping[str, Any]) -> list[str]:
        """The arguments, checked against the starter's own folders: the row may come from another machine."""
        source = arguments["source"]
        return ["--once", "--source", source, "--within", _folder_of(source)]


def _folder_of(source: str) -> str:
    """The open folder that a path lies in by its name; links are checked when it is opened."""
    folders = [Path(folder).absolute() for folder in settings.DLQ_INGEST_FOLDERS]
    for folder in folders:
        if Path(source).is_relative_to(folder) and ".." not in Path(source).relative_to(folder).parts:
            return str(folder)
    raise RunRefused(
        _("The console reads from {names} alone (DLQ_INGEST_FOLDERS).").format(
            names=", ".join(map(str, folders))
        )
    )


def _check_readable(source: str, folder: str) -> None:
    """Raise RunRefused unless the path can be opened within the folder: no other file is read."""
    try:
        os.close(open_beneath(folder, source))
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise RunRefused(_("There is no file or folder {source}.").format(source=source)) from error
        raise RunRefused(
            _("{source} cannot be read: {strerror}.").format(source=source, strerror=error.strerror)
        ) from error
