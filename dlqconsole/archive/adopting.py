"""A person's word that a folder is the archive's, whatever its mark says."""

from django.conf import settings
from django.db import transaction

from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.folder import missing
from dlqconsole.archive.letters import raw_connection
from dlqconsole.archive.models import ArchiveFile, FileState
from dlqconsole.pipeline.archive import mark, moving
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.plurals import counted

ADOPT = "adopt archive folder"


def adopt(actor: str, reason: str, expected: int) -> int:
    """Make the folder this database's, where so many of its files are not there; how many lie in it.

    Raises ArchiveRefused.
    """
    link, place = raw_connection(), settings.DLQ_ARCHIVE_DIR
    kept = list(ArchiveFile.objects.filter(state=FileState.KEPT))
    gone = sum(bool(missing(file)) for file in kept)
    if gone != expected:
        raise ArchiveRefused(
            f"{gone:,} of the {counted(len(kept), 'files')} that this database knows are not in {place}:"
            f" to adopt it nevertheless say --expect {gone}. Nothing was changed."
        )
    with transaction.atomic():
        try:
            before = mark.adopt(link, place)
        except PipelineProblem as problem:
            raise ArchiveRefused(f"Nothing was changed: {problem}.") from problem
        detail = {"folder": str(place), "before": str(before or ""), "files": len(kept), "missing": gone}
        moving.audit(link, actor, ADOPT, "archive_folder", reason, detail)
    return len(kept) - gone
