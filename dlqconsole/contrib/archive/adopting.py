"""Adopt a folder as this database's archive, on a person's word, whatever its mark says."""

from django.conf import settings

from dlqconsole.contrib.archive.errors import ArchiveRefused
from dlqconsole.contrib.archive.folder import missing
from dlqconsole.contrib.archive.job import mark, moving
from dlqconsole.contrib.archive.letters import raw_connection
from dlqconsole.contrib.archive.models import ArchiveFile, FileState
from dlqconsole.hosting.database import transaction
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.quantities import counted

ADOPT = "adopt archive folder"


def adopt(actor: str, reason: str, expected_missing: int) -> int:
    """Make the folder this database's archive, although files are missing; return how many are there.

    Raises ArchiveRefused where another number of files is missing than ``expected_missing``.
    """
    link, place = raw_connection(), settings.DLQ_ARCHIVE_DIR
    files = list(ArchiveFile.objects.filter(state=FileState.KEPT))
    absent = sum(bool(missing(file)) for file in files)
    if absent != expected_missing:
        raise ArchiveRefused(
            f"{absent:,} of the {counted(len(files), 'files')} that this database knows are not in {place}:"
            f" to adopt it nevertheless say --expect {absent}. Nothing was changed."
        )
    with transaction.atomic():
        try:
            before = mark.adopt(link, place)
        except PipelineProblem as problem:
            raise ArchiveRefused(f"Nothing was changed: {problem}.") from problem
        detail = {
            "folder": str(place),
            "before": str(before or ""),
            "files": len(files),
            "missing": absent,
        }
        moving.audit(link, actor, ADOPT, "archive_folder", reason, detail)
    return len(files) - absent
