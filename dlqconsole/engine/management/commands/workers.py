"""manage.py workers: the running Celery workers, and the queues of wake-ups that each serves."""

import json
import socket
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.engine.known_handlers import PIPELINE, TICKS, WORK


class Command(GatedCommand):
    help = "List the Celery workers that were heard of in two minutes; exit status 1 where there is none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--queue", choices=(WORK, TICKS, PIPELINE), help="only those that serve it")
        parser.add_argument("--here", action="store_true", help="only those of this machine or container")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            reports = known_handlers.serving(options["queue"] or "")
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        here = f"{socket.gethostname()}:" if options["here"] else ""
        reports = [report for report in reports if report.worker.startswith(here)]
        for report in reports:
            line = {
                "worker": report.worker,
                "queues": [*report.queues],
                "seen_at": report.seen_at.isoformat(),
            }
            words = f"{report.worker}  {', '.join(report.queues)}  {report.seen_at:%Y-%m-%d %H:%M:%S}"
            self.stdout.write(json.dumps(line) if options["json"] else words)
        if not reports:
            raise CommandError("No such worker has been heard of in two minutes.")
