"""manage.py consume QUEUE…: handle the messages of some queues until stopped."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError, ProgrammingError

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.consuming.leftovers import LeftoverSentences, leftovers
from dlqconsole.consuming.opening import open_sessions, require_one_transaction
from dlqconsole.consuming.pool import ConsumerPool, Watch, is_orphaned
from dlqconsole.core.errors import EngineError
from dlqconsole.core.handling import isolated, longest_seconds, registry
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.database.error_line import error_line, refused
from dlqconsole.engine.database.sessions import need_direct_line
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.engine.grants.excess import warn_once_connected
from dlqconsole.hosting.database import connection
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.arguments import count
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.texts import printable
from dlqconsole.transports.policies import check_to_claim
from dlqconsole.transports.registry import examples

HEAVIEST = 1000
BATCH = 10


class Command(GatedCommand):
    help = (
        "Claim, handle and settle messages. SIGTERM and Ctrl-C finish what is in work and give back the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "queues",
            nargs="+",
            type=_weighted,
            metavar="QUEUE[=WEIGHT]",
            help=f"names like {examples('NAME')} are of attached queues; orders=3 mail=1 shares the work by"
            " weight (1 to 1000)",
        )
        parser.add_argument(
            "--until-empty",
            action="store_true",
            help="stop when nothing is due; fails where a queue is left with what could not be handled",
        )
        parser.add_argument(
            "--batch",
            type=count,
            help="messages claimed at once (1 to 1000); without it 10, or more if a batch handler takes more",
        )
        parser.add_argument("--processes", type=count, default=1, help="consumers side by side (1 to 64)")
        parser.add_argument(
            "--concurrency",
            type=count,
            help="handlers that overlap in each process (1 to 500): plain functions in threads, async ones as"
            " tasks; without it plain ones run one by one, and the async ones of a batch overlap",
        )
        parser.add_argument(
            "--transactional",
            action="store_true",
            help="run a handler in the transaction that completes its message: it touches this database only",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        weights = dict(options["queues"])
        options["queues"] = list(weights)
        logging.getLogger("dlqconsole").setLevel(logging.INFO if options["verbosity"] else logging.WARNING)
        try:
            if options["batch"] is None:
                options["batch"] = max(BATCH, registry().largest_batch)
            make = partial(self._maker(options), weights=weights)
            counts = self._consume(make, options)
            rest = (
                leftovers(options["queues"], counts) if options["until_empty"] else LeftoverSentences([], [])
            )
        except SetupError as error:
            raise CommandError(error_line(error), returncode=2) from error
        except (EngineError, ProgrammingError, OperationalError, InterfaceError) as error:
            raise refused(error) from error
        done = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items()))
        self.stdout.write(done or _nothing(rest))
        for sentence in rest.others:
            self.stdout.write(printable(sentence))
        if rest.problems:
            raise CommandError(printable(" ".join(rest.problems)))

    def _consume(self, make: Callable[..., Consumer], options: dict[str, Any]) -> Counter[ClaimResult]:
        transactional, size = options["transactional"], options["processes"]
        apart = partial(isolated, options["concurrency"] or 1, options["concurrency"] or options["batch"])
        if options["until_empty"]:
            _require_database()
        if size > 1 or transactional:
            self._check(options["queues"], transactional)
            return _run_pool(make, nullcontext if transactional else apart, options["until_empty"], size)
        # first of all, while nothing is open; a wrong DLQ_HANDLERS stops the start, not the first message
        with apart():
            self._check(options["queues"], transactional)
            return _run(make(), options["until_empty"])

    def _check(self, names: list[str], transactional: bool) -> None:
        registry()
        need_direct_line()
        warn_once_connected()
        for name in names:
            check_to_claim(name)
        if transactional:
            require_one_transaction(open_sessions(names, ""))

    def _maker(self, options: dict[str, Any]) -> Callable[..., Consumer]:
        names, batch = options["queues"], options["batch"]
        if not 1 <= batch <= 1000:
            raise CommandError("--batch must be between 1 and 1000.", returncode=2)
        if not 1 <= options["processes"] <= 64:
            raise CommandError("--processes must be between 1 and 64.", returncode=2)
        if (concurrency := options["concurrency"]) is not None:
            _check_overlap(concurrency, options["transactional"])
        return partial(
            Consumer, names, batch=batch, concurrency=concurrency or 1, transactional=options["transactional"]
        )


def _check_overlap(concurrency: int, transactional: bool) -> None:
    if not 1 <= concurrency <= 500:
        raise CommandError("--concurrency must be between 1 and 500.", returncode=2)
    if concurrency > 1 and transactional:
        raise CommandError(
            "--transactional handles one after the other: leave --concurrency out, or use --processes.",
            returncode=2,
        )
    if concurrency > 1 and settings.DLQ_HANDLER_ISOLATION != "process":
        raise CommandError(
            "--concurrency is for handlers in a process of their own, and DLQ_HANDLER_ISOLATION is"
            f" {settings.DLQ_HANDLER_ISOLATION!r}: leave it out, or use --processes.",
            returncode=2,
        )


def _nothing(rest: LeftoverSentences) -> str:
    return "nothing was handled" if rest.problems else "nothing is due" if rest.others else "nothing to do"


def _weighted(text: str) -> tuple[str, int]:
    """Return a queue's name and its weight. A name may have a = of its own."""
    name, _sign, weight = text.rpartition("=")
    if not (name and weight.isascii() and weight.isdigit()):
        return text, 1
    if not 1 <= int(weight) <= HEAVIEST:
        raise ArgumentTypeError(f"The weight of {quoted(name, 60)} must be between 1 and {HEAVIEST}.")
    return name, int(weight)


def _require_database() -> None:
    """Raise OperationalError where the database never answered: the consumer would wait for ever."""
    if connection.connection is None:
        connection.ensure_connection()
        connection.close()  # whoever works has one of their own


def _run(consumer: Consumer, until_empty: bool) -> Counter[ClaimResult]:
    def stop(signum: int, frame: FrameType | None) -> None:
        consumer.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return consumer.run(until_empty=until_empty)


def _run_pool(
    make: Callable[..., Consumer],
    around: Callable[[], AbstractContextManager[None]],
    until_empty: bool,
    size: int,
) -> Counter[ClaimResult]:
    """Run consumers side by side, each in a block of its own. The pool watches handlers in it."""
    results: Any = multiprocessing.get_context("fork").SimpleQueue()
    parent = os.getpid()

    def work(watch: Watch) -> None:
        with around():
            consumer = make(watch=watch)
            _stop_when_orphaned(consumer, parent)
            signal.signal(signal.SIGTERM, lambda signum, frame: consumer.stop())
            results.put(dict(consumer.run(until_empty=until_empty)))

    pool = ConsumerPool(work, size, patience=longest_seconds() + 30)

    def stop(signum: int, frame: FrameType | None) -> None:
        pool.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    pool.run()
    counts: Counter[ClaimResult] = Counter()
    while not results.empty():
        counts.update(results.get())
    return counts


def _stop_when_orphaned(consumer: Consumer, parent: int) -> None:
    """Stop a consumer whose parent was killed: nobody else would tell it."""

    def look() -> None:
        while not is_orphaned(parent):
            time.sleep(1)
        consumer.stop()

    threading.Thread(target=look, name="parent watch", daemon=True).start()
