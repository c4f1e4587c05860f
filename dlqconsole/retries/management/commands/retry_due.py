"""manage.py retry_due: one scheduled run by hand, whether or not it is due."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError, LockHeld
from dlqconsole.core.handling import isolated
from dlqconsole.engine import audit
from dlqconsole.engine.database.error_line import error_line, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.arguments import reason
from dlqconsole.retries import stopping
from dlqconsole.retries.models import EndReason, RetryRun
from dlqconsole.retries.run import BY_HAND, run
from dlqconsole.retries.takeover import take_over

# endings that leave dead letters to the next run, which may be another worker's
NOT_DONE = (EndReason.STOPPED, EndReason.LOCK_LOST, EndReason.TAKEN_OVER, EndReason.ERROR)


class Command(GatedCommand):
    help = "Retry now what the schedule would retry: everything that is due."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_token_option(parser)
        parser.add_argument(
            "--take-over",
            action="store_true",
            help="first end the run of a worker that is gone, once its lock ran out",
        )
        parser.add_argument(
            "--because", type=reason, default="", help="why it is taken over, for the audit log"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with isolated(), stopping.on_sigterm():
                who = caller(options, "operator", "retry_due")
                who.check_unlimited("A run takes everything that is due")
                if options["take_over"]:
                    run_number = take_over(who.actor, options["because"])
                    self.stdout.write(f"Took over run {run_number}.")
                row = run(BY_HAND)
        except LockHeld as refusal:
            # another worker runs it already, which serves the purpose
            self.stdout.write(str(refusal))
            return
        except SetupError as error:
            raise CommandError(error_line(error), returncode=2) from error
        except (EngineError, DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        if row is not None:
            audit.record(who.actor, "run by hand", f"retry_run:{row.pk}", detail={"claimed": row.claimed})
            self.stdout.write(sentence(row))
            if row.ended_for in NOT_DONE:
                sys.exit(1)


def sentence(run: RetryRun) -> str:
    """A run's figures in words."""
    text = (
        f"Run {run.pk}: {run.claimed:,} claimed, {run.succeeded:,} succeeded, {run.failed:,} failed again,"
        f" {run.revived:,} revived, {run.exhausted:,} exhausted, {run.lost:,} lost their lease."
    )
    if run.finished_at is None:
        return f"{text} The workers of the schedule go on with it."
    return f"{text} It {run.note}." if run.note else text
