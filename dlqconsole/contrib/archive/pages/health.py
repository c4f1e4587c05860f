"""Checks the archive's folder and its last run. The archive's page shows the details to its readers."""

from collections.abc import Iterator

from dlqconsole.contrib.archive import folder
from dlqconsole.contrib.archive.counting import last_run

WRONG_FOLDER = (
    "the archive's folder is not there, or not this database's: nothing is archived, restored or erased;"
    " mount it, or where it is the right one: manage.py archive adopt"
)


def check() -> Iterator[str]:
    if folder.problem():
        yield WRONG_FOLDER
    last = last_run()
    if last and last["status"] == "failed":
        yield "the archive's last run failed: nothing was deleted by it"
