"""manage.py consume QUEUE…: handle the messages of some queues until stopped."""

import functools
import logging
import multiprocessing
import os
import signal
import threading
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dlqconsole.engine.consuming.consumer import Consumer
from dlqconsole.engine.consuming.crew import Crew, orphaned
from dlqconsole.engine.consuming.settlement import Settled
from dlqconsole.engine.errors import UnknownQueue
from dlqconsole.engine.handling import registry
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.arguments import count
from dlqconsole.transports.consumer import AttachedConsumer
from dlqconsole.transports.registry import parts

type AnyConsumer = Consumer | AttachedConsumer


class Command(BaseCommand):
    help = (
        "Claim, handle and settle messages. SIGTERM and Ctrl-C finish the one in hand and give back the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "queues", nargs="+", metavar="QUEUE", help="pgmq:NAME and mysql:NAME are attached"
        )
        parser.add_argument("--until-empty", action="store_true", help="stop when nothing is due")
        parser.add_argument("--batch", type=count, default=10, help="messages claimed at once (1 to 1000)")
        parser.add_argument("--concurrency", type=count, default=1, help="processes (1 to 64)")
        parser.add_argument(
            "--transactional",
            action="store_true",
            help="run a handler in the transaction that completes its message: it touches this database only",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        make = self._maker(options)
        logging.getLogger("dlqconsole").setLevel(logging.INFO if options["verbosity"] else logging.WARNING)
        try:
            registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
            if options["concurrency"] == 1:
                counts = _run(make(), options["until_empty"])
            else:
                counts = _run_crew(make, options["until_empty"], options["concurrency"])
        except (SetupError, UnknownQueue) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items())) or "nothing to do"
        )

    def _maker(self, options: dict[str, Any]) -> Callable[[], AnyConsumer]:
        names, batch = options["queues"], options["batch"]
        if not 1 <= batch <= 1000:
            raise CommandError("--batch must be between 1 and 1000.")
        if not 1 <= options["concurrency"] <= 64:
            raise CommandError("--concurrency must be between 1 and 64.")
        attached = [bool(parts(name)[0]) for name in names]
        if all(attached):
            if options["transactional"]:
                raise CommandError("--transactional is for queues of this database only.")
            return functools.partial(AttachedConsumer, names, batch=batch)
        if any(attached):
            raise CommandError(
                "Consume attached queues (pgmq:…, mysql:…) and others in commands of their own."
            )
        return functools.partial(Consumer, names, batch=batch, transactional=options["transactional"])


def _run(consumer: AnyConsumer, until_empty: bool) -> Counter[Settled]:
    def stop(signum: int, frame: FrameType | None) -> None:
        consumer.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return consumer.run(until_empty=until_empty)


def _run_crew(make: Callable[[], AnyConsumer], until_empty: bool, size: int) -> Counter[Settled]:
    results: Any = multiprocessing.get_context("fork").SimpleQueue()
    parent = os.getpid()

    def work() -> None:
        consumer = make()
        _stop_when_orphaned(consumer, parent)
        signal.signal(signal.SIGTERM, lambda signum, frame: consumer.stop())
        results.put(dict(consumer.run(until_empty=until_empty)))

    crew = Crew(work, size, patience=settings.DLQ_HANDLER_TIMEOUT + 30)

    def stop(signum: int, frame: FrameType | None) -> None:
        crew.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    crew.run()
    counts: Counter[Settled] = Counter()
    while not results.empty():
        counts.update(results.get())
    return counts


def _stop_when_orphaned(consumer: AnyConsumer, parent: int) -> None:
    """A consumer whose parent was killed is told by nobody: it looks for itself."""

    def look() -> None:
        while not orphaned(parent):
            time.sleep(1)
        consumer.stop()

    threading.Thread(target=look, name="parent watch", daemon=True).start()
