"""manage.py send QUEUE: put JSON lines from standard input on a queue."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from dlqconsole.engine import messages
from dlqconsole.engine.errors import InvalidMessage


class Command(BaseCommand):
    help = "Send one message for each line of standard input. All of them, or none when a line is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", metavar="QUEUE")

    def handle(self, *args: Any, **options: Any) -> None:
        sent = 0
        with transaction.atomic():
            for number, line in enumerate(sys.stdin.buffer, start=1):
                if not line.strip():
                    continue
                try:
                    messages.send(
                        options["queue"], line.rstrip(b"\r\n"), limit=settings.DLQ_MAX_PAYLOAD_BYTES
                    )
                except InvalidMessage as error:
                    raise CommandError(f"Line {number}: {error} Nothing was sent.") from error
                sent += 1
        self.stdout.write(f"{sent:,} messages sent to {options['queue']}")
