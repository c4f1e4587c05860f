"""manage.py queues: what stands on each queue."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from dlqconsole.engine import queues


class Command(BaseCommand):
    help = "Show each queue's messages and dead letters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = queues.metrics()
        if options["json"]:
            for row in rows:
                self.stdout.write(json.dumps(row))
            return
        line = "{:<40} {:>9} {:>9} {:>9} {:>12} {:>8} {}"
        self.stdout.write(
            line.format("queue", "visible", "in flight", "scheduled", "dead letters", "oldest", "")
        )
        for row in rows:
            age = row["oldest_due_seconds"]
            self.stdout.write(
                line.format(
                    row["name"][:40],
                    row["visible"],
                    row["in_flight"],
                    row["scheduled"],
                    row["dead_letters"],
                    "-" if age is None else f"{age:.0f} s",
                    "paused" if row["paused"] else "",
                ).rstrip()
            )
