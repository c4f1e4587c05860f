"""manage.py relay: serve the attached queues until stopped, where no Celery worker does."""

import logging
import signal
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, OperationalError

from dlqconsole.engine.database.error_line import AWAY, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import connection
from dlqconsole.system.processes import Stop
from dlqconsole.transports import relay

log = logging.getLogger(__name__)

PAUSE_SECONDS = 1.0


class Command(GatedCommand):
    help = "Forward revived messages to the attached queues, dead-letter what nobody completes there."

    # Django's checks of the models ask the database, which may be away just now: a relay waits for it
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="serve each queue once")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["once"]:
                self._once()
            else:
                self._until_stopped()
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error

    def _once(self) -> None:
        counts = relay.run_once(seconds=float("inf"))
        self.stdout.write(sentence(counts))
        if counts["failed"]:
            raise CommandError(f"{counts['failed']:,} queues were not served.")

    def _until_stopped(self) -> None:
        stop = Stop()
        signal.signal(signal.SIGTERM, stop.ask)
        signal.signal(signal.SIGINT, stop.ask)
        total: Counter[str] = Counter()
        while not stop.asked:
            total.update(_round())
            stop.wait(PAUSE_SECONDS)
        self.stdout.write(sentence(total))


def sentence(counts: Counter[str]) -> str:
    """Return what a relay did, as a sentence."""
    return (
        f"{counts['forwarded']:,} forwarded, {counts['dead-lettered']:,} dead-lettered,"
        f" {counts['left']:,} left their queues"
    )


def _round() -> Counter[str]:
    """Run one round, and count nothing while the database is away."""
    try:
        return relay.run_once()
    except (OperationalError, InterfaceError) as error:
        log.warning("%s, trying again: %s", AWAY, str(error).splitlines()[0])
        connection.close()
        return Counter()
