"""manage.py consume QUEUE…: handle the messages of some queues until stopped."""

import logging
import signal
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dlqconsole.engine.consumer import Consumer
from dlqconsole.processing.errors import SetupError


class Command(BaseCommand):
    help = (
        "Claim, handle and settle messages. SIGTERM and Ctrl-C finish the one in hand and give back the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queues", nargs="+", metavar="QUEUE")
        parser.add_argument("--until-empty", action="store_true", help="stop when nothing is due")
        parser.add_argument("--batch", type=int, default=10, help="messages claimed at once (1 to 1000)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["batch"] <= 1000:
            raise CommandError("--batch must be between 1 and 1000.")
        logging.getLogger("dlqconsole.engine.consumer").setLevel(
            logging.INFO if options["verbosity"] else logging.WARNING
        )
        consumer = Consumer(options["queues"], batch=options["batch"])

        def stop(signum: int, frame: FrameType | None) -> None:
            consumer.stop()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        try:
            counts = consumer.run(until_empty=options["until_empty"])
        except SetupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items())) or "nothing to do"
        )
