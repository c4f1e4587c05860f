"""manage.py index: index a path into the payload, or all values of payloads."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError
from dlqconsole.engine import audit
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.dead_letters import payload_indexes
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import reason

ALL = "payload"


class Command(GatedCommand):
    help = "Have a path into the payload, or all values of payloads, found by an index; list these indexes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what",
            nargs="?",
            metavar="PATH",
            help="payload.data.order_id: what stands at that path; payload: any whole value; none: list them",
        )
        parser.add_argument("--drop", action="store_true", help="take it away again")
        parser.add_argument("--because", type=reason, default="", metavar="WHY", help="for the audit log")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        try:
            if what is None:
                caller(options, "viewer")
                self._list(options["json"])
                return
            path = _path(what)
            user = caller(options, "admin", "index")
            user.check_unlimited("An index is of everybody's payloads")
            verb = "drop index" if options["drop"] else "index"
            audit.record(user.actor, verb, "dead_letters", reason=options["because"], detail={"what": what})
            (self._drop if options["drop"] else self._make)(path, what)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _list(self, as_json: bool) -> None:
        rows = payload_indexes.list_indexes()
        for row in rows:
            self.stdout.write(json.dumps(row | {"path": _what(row)}) if as_json else _line(row))
        if not rows and not as_json:
            self.stdout.write(f"No payload is indexed. Index a path: index {PAYLOAD_PREFIX}data.order_id")

    def _make(self, path: str, what: str) -> None:
        if _row(path):
            raise CommandError(f"{what} is indexed already.")
        self.stderr.write(f"Indexing {what}. Others go on writing meanwhile.")
        started_at = time.monotonic()
        payload_indexes.make(path)
        took, row = time.monotonic() - started_at, _row(path)
        size = row["bytes"] if row else 0
        number = summaries.count_matching(DeadLetterFilter()).value or 1
        self.stdout.write(
            f"{what} is indexed: {_size(size)} for {number:,} dead letters, {size / number:.0f} bytes each."
            f" It took {took:.1f} s: {took / number * 1e6:.1f} µs each, and about that for each that comes."
        )

    def _drop(self, path: str, what: str) -> None:
        if not _row(path):
            raise CommandError(f"{what} is not indexed.")
        payload_indexes.drop(path)
        self.stdout.write(f"{what} is indexed no more.")


def _path(what: str) -> str:
    """The path in the argument; empty for all values. Raises InvalidFilter."""
    if what == ALL:
        return ""
    if not what.startswith(PAYLOAD_PREFIX):
        raise CommandError(f"Say {ALL}, or a path: {PAYLOAD_PREFIX}data.order_id", returncode=ASKED_WRONGLY)
    return DeadLetterFilter.parse({what: "x"}).payload[0][0]


def _row(path: str) -> dict[str, Any] | None:
    return next((row for row in payload_indexes.list_indexes() if row["path"] == path), None)


def _what(row: dict[str, Any]) -> str:
    return f"{PAYLOAD_PREFIX}{row['path']}" if row["path"] else ALL


def _line(row: dict[str, Any]) -> str:
    state = f"asked {row['uses']:,} times" if row["is_valid"] else "not built: drop it, and index it anew"
    return f"{_what(row)}  {_size(row['bytes'])}  {state}"


def _size(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"
