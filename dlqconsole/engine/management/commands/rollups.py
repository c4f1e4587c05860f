"""manage.py rollups: check the figures of dead letters, put them right, fold them."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.database.sessions import long_statements
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.processing.texts import printable

SHOWN = 50


class Command(GatedCommand):
    help = "Compare the counted figures of dead letters with the truth; rebuild them; fold what was counted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "verb",
            choices=("check", "rebuild", "fold"),
            help="check: say what differs from the dead letters themselves (exit status 1 if anything does);"
            " rebuild: put that right while others go on writing; fold: move what was counted to the tables",
        )
        parser.add_argument("--json", action="store_true", help="one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with long_statements():
                getattr(self, "_" + options["verb"])(options["json"])
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error

    def _check(self, as_json: bool) -> None:
        rows = rollups.check()
        self._say(as_json, rows, "The figures are true." if not rows else "")
        if rows:
            raise CommandError(
                f"{len(rows):,} figures differ from the truth. Put them right: rollups rebuild"
            )

    def _rebuild(self, as_json: bool) -> None:
        rows = rollups.rebuild()
        self._say(as_json, rows, f"{len(rows):,} figures were put right." if rows else "All were true.")

    def _fold(self, as_json: bool) -> None:
        total = 0
        while now := rollups.fold():
            total += now
        self.stdout.write(json.dumps({"moved": total}) if as_json else f"{total:,} changes were folded.")

    def _say(self, as_json: bool, rows: list[dict[str, Any]], sentence: str) -> None:
        if as_json:
            self.stdout.write(json.dumps({"differences": rows}, default=str))
            return
        for row in rows[:SHOWN]:
            self.stdout.write(printable(_line(row)))
        if len(rows) > SHOWN:
            self.stdout.write(f"… and {len(rows) - SHOWN:,} more; --json shows all.")
        if sentence:
            self.stdout.write(sentence)


def _line(row: dict[str, Any]) -> str:
    where = (
        f"at {row['hour']:%Y-%m-%d %H:%M}"
        if row["hour"]
        else f"{row['event_type']}, {row['error_category']}, queue {row['queue']}"
    )
    words = f"{row['counted']:,} counted, there are {row['letters']:,}"
    if row["letters"] == row["counted"] and row["occurrences"] != row["counted_occurrences"]:
        words = f"{row['counted_occurrences']:,} failures counted, there were {row['occurrences']:,}"
    elif row["letters"] == row["counted"]:
        words = "first or last seen are not what they were"
    return f"group {row['group_id']}, {where}, {row['status']}: {words}"
