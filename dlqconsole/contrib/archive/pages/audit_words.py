"""The audit page's words for the archive's files, and for dead letters that come out of it."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.audit.subjects import Words, number


def _archiving(detail: Mapping[str, Any]) -> str:
    noun = str(detail.get("kind", "rows")).replace("_", " ")
    return (
        f"{number(detail.get('rows', 0))} {noun} written to {detail.get('path', '')}, verified, and deleted"
    )


def _file_expiry(detail: Mapping[str, Any]) -> str:
    noun = str(detail.get("kind", "rows")).replace("_", " ")
    return f"a file with {number(detail.get('rows', 0))} {noun} was kept long enough, and went"


WORDS: dict[str, Words] = {
    "archive_folder": {
        "adopt archive folder": lambda detail: (
            f"made {detail.get('folder', '')} the archive's folder; {number(detail.get('missing'))} of"
            f" {number(detail.get('files'))} files are not there"
        ),
    },
    "archive_file": {"archive": _archiving, "expire": _file_expiry},
    "dead_letter": {
        "restore from archive": lambda detail: (
            f"taken back from the archive, out of {detail.get('path', '')}"
        ),
        "erase from archive": lambda detail: (
            f"erased for ever from the archive, out of {detail.get('path', '')}"
        ),
    },
}
