"""Verifying the audit log: the result is an entry of the log, and the head can be noted outside of it."""

import logging
import os
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.db import DatabaseError

from dlqconsole.contrib.sealing import seals
from dlqconsole.contrib.sealing.verification import Verdict, verify
from dlqconsole.engine import audit
from dlqconsole.engine.database.error_line import error_line
from dlqconsole.engine.models import AuditEntry
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.plain_files import read_plain

TARGET = "audit:log"
LONGEST = 64 * 1024 * 1024  # bytes: a head every hour for 75 years
_HEAD = re.compile(r"[1-9][0-9]{0,18}:[0-9a-f]{64}")
logger = logging.getLogger(__name__)


class NotAHead(ValueError):
    """A text that should be ``812:3f2a…`` is not."""


def check(known_head: str = "") -> Verdict:
    """Seal what can be sealed, verify everything, and write down the result in the log.

    ``known_head``: an earlier head, which must still be there. Raises NotAHead; and DatabaseError, unless a
    difference was found: that is reported, whatever else a changed log no longer lets us do.
    """
    if known_head and not _HEAD.fullmatch(known_head):
        raise NotAHead(
            f"{known_head[:80]!r} is no head: it looks like 812:3f2a…, a number and 64 hexadecimal digits."
        )
    unsealable = _error_of(seals.seal)
    verdict = verify(known_head)
    unwritten = _error_of(lambda: _write_down(verdict))
    for error in filter(None, (unsealable, unwritten)):
        if not verdict.problems:
            raise error
        logger.error("audit log: not sealed, or this check not written down: %s", error_line(error))
    for problem in verdict.problems[:100]:
        logger.error("audit log: %s", problem)
    return verdict


def _error_of(step: Callable[[], object]) -> DatabaseError | None:
    try:
        step()
    except DatabaseError as error:
        return error
    return None


@transaction.atomic
def _write_down(verdict: Verdict) -> None:
    detail = {"rows": verdict.rows, "seals": verdict.seals, "problems": len(verdict.problems)}
    audit.record("verification", "verify", TARGET, detail=detail)


def last_check() -> AuditEntry | None:
    """Return the last verification and its result; None where there was none."""
    return AuditEntry.objects.filter(target=TARGET).order_by("-id").first()


def read_head(file: Path) -> str:
    """Return the newest head in a file of ours; empty where there is no such file yet. Raises OSError."""
    try:
        lines = read_plain(file, LONGEST).decode("ascii", "replace").split("\n")
    except FileNotFoundError:
        return ""
    return next((line.split(" ")[0] for line in reversed(lines) if line), "")


def note_head(file: Path, head: str, at: datetime) -> None:
    """Add a line: the file is never written over. Raises OSError."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, f"{head} {at:%Y-%m-%dT%H:%M:%SZ}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
