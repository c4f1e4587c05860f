"""manage.py verify_audit: check the audit log against its seals; name the rows that differ, and how."""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.contrib.sealing import checks, verification
from dlqconsole.contrib.sealing.verification import UnsealedRows, Verdict
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.texts import printable

SHOWN = 200
LATE = 3600  # seconds: the beat seals every ten


class Command(GatedCommand):
    help = (
        "Compare the audit log with its seals: a line for each difference, and exit status 1 if there is any."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--since", metavar="HEAD", default="", help="a head that was printed before: it must be there"
        )
        parser.add_argument(
            "--heads",
            metavar="FILE",
            type=Path,
            help="keeps the heads of all times, where no database reaches: the last one must still be there;"
            " the new one is added where all is well",
        )
        parser.add_argument("--json", action="store_true", help="one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            heads: Path | None = options["heads"]
            known_head = options["since"] or (checks.read_head(heads) if heads else "")
            verdict = checks.check(known_head)
            if heads and verdict.head and not verdict.problems:
                checks.note_head(heads, verdict.head, datetime.now(UTC))
            newer = _newer(verdict)
        except (DatabaseError, InterfaceError, checks.NotAHead, OSError) as error:
            raise refused(error) from error
        self._say(verdict, newer, options["json"])

    def _say(self, verdict: Verdict, newer: UnsealedRows | None, as_json: bool) -> None:
        lines = [*map(printable, verdict.problems[:SHOWN])]
        if len(verdict.problems) > SHOWN and not as_json:
            lines.append(f"… and {len(verdict.problems) - SHOWN:,} more; --json shows all.")
        if as_json:
            document = {"rows": verdict.rows, "seals": verdict.seals, "head": verdict.head}
            lines = [json.dumps(document | {"problems": verdict.problems, "unsealed": newer and newer.rows})]
        for line in lines:
            self.stdout.write(line)
        if verdict.problems:
            raise CommandError(f"The audit log is not what it was: {len(verdict.problems):,} differences.")
        if newer and not as_json:
            self.stdout.write(_well(verdict, newer))


def _newer(verdict: Verdict) -> UnsealedRows | None:
    """Count the rows without a seal; None where a table is too changed for that."""
    try:
        with transaction.atomic():
            return verification.count_unsealed()
    except DatabaseError:
        if not verdict.problems:
            raise
        return None


def _well(verdict: Verdict, newer: UnsealedRows) -> str:
    words = f"{verdict.rows:,} rows in {verdict.seals:,} seals are what they were."
    words += f" {newer.rows:,} are not sealed yet"
    if newer.since and newer.seconds > LATE:
        words += f", since {newer.since:%Y-%m-%d %H:%M}: is the beat running?"
    return f"{words}.\nHead: {verdict.head or 'none'}"
