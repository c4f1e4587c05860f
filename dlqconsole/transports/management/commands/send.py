"""manage.py send QUEUE: put JSON lines from standard input on a queue."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.db import DatabaseError, InterfaceError

from dlqconsole.core import messages
from dlqconsole.core.errors import EngineError, InvalidMessage
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.quantities import counted
from dlqconsole.transports.policies import check_to_send


class Command(GatedCommand):
    help = "Send one message for each line of standard input. All of them, or none when a line is wrong."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", metavar="QUEUE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            queue = check_to_send(options["queue"])
            with transaction.atomic():
                number = sum(_send_line(queue, *line) for line in enumerate(sys.stdin.buffer, start=1))
        except (EngineError, DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        self.stdout.write(f"{counted(number, 'messages')} sent to {queue}")


def _send_line(queue: str, number: int, line: bytes) -> int:
    """Send the message of a line. Return the number of messages, 0 or 1. Raises InvalidMessage."""
    if not line.strip():
        return 0
    try:
        messages.send(queue, line.rstrip(b"\r\n"))
    except InvalidMessage as error:
        raise InvalidMessage(f"Line {number}: {error} Nothing was sent.") from error
    return 1
