"""manage.py attach <system>:orders: let the console serve a queue of another system."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError, UnknownQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import count, reason
from dlqconsole.processing.texts import printable
from dlqconsole.transports import attachments, queue_overview, registry
from dlqconsole.transports.attachments import Attachment

# the arguments of each of the command's forms
_TAKES = {
    "attach": {"name", "max_deliveries", "lease_seconds", "because"},
    "attach --detach": {"name", "detach", "take_back", "because"},
    "attach --handled": {"name", "handled", "because"},
    "attach --list": {"list"},
}


class Command(GatedCommand):
    help = "Attach a queue of another system: its dead letters come here, revived ones go back to it."

    # Django's checks of the models ask the database: away, it would answer with a traceback
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="QUEUE", help=registry.examples("<queue>"))
        parser.add_argument(
            "--max-deliveries", type=count, metavar="N", help="a dead letter when read more often (5)"
        )
        parser.add_argument(
            "--lease-seconds", type=count, metavar="N", help="how long our consumers hold a message (60)"
        )
        parser.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
        parser.add_argument("--detach", action="store_true", help="let go of it; its dead letters stay")
        parser.add_argument(
            "--take-back",
            action="store_true",
            help="with --detach: do not wait for revived dead letters that are on their way through it",
        )
        parser.add_argument(
            "--handled",
            action="store_true",
            help="what was handed over to it has succeeded: its system does not say so itself",
        )
        parser.add_argument("--list", action="store_true", help="show what is attached")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._obey(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _obey(self, options: dict[str, Any]) -> None:
        _refuse_more(options)
        if options["list"]:
            self._list(options)
        elif not options["name"]:
            example = f"{registry.others()[0].prefix}:orders"
            raise CommandError(f"Say which: attach {example}, or attach --list", returncode=ASKED_WRONGLY)
        elif options["detach"]:
            self._detach(options)
        elif options["handled"]:
            self._note_handled(options)
        else:
            self._attach(options)

    def _attach(self, options: dict[str, Any]) -> None:
        queue = attachments.attach(
            options["name"],
            actor=self._actor(options),
            because=options["because"].strip(),
            max_deliveries=options["max_deliveries"],
            lease_seconds=options["lease_seconds"],
        )
        self.stdout.write(
            f"{queue.name} is attached: what is read more than {queue.max_deliveries:,} times and not"
            " completed becomes a dead letter."
        )

    def _detach(self, options: dict[str, Any]) -> None:
        taken_back = attachments.detach(
            options["name"],
            actor=self._actor(options),
            because=options["because"].strip(),
            take_back=options["take_back"],
        )
        more = f" {taken_back:,} revived dead letters wait for a person again." if taken_back else ""
        self.stdout.write(f"{options['name']} is detached.{more}")

    def _note_handled(self, options: dict[str, Any]) -> None:
        who, because = self._actor(options), options["because"].strip()
        count = attachments.note_handled(options["name"], actor=who, because=because)
        self.stdout.write(f"{count:,} dead letters handed over to {options['name']} have succeeded.")

    def _actor(self, options: dict[str, Any]) -> str:
        """Return the actor, if they may and see the queue. Raises TokenRefused and UnknownQueue."""
        who = caller(options, "admin", f"attach {_flag(options)}".strip())
        access = current_access()
        if access.is_limited and not access.sees_queue(registry.full_name(options["name"])):
            name, scope = printable(options["name"][:60]), access.words()
            raise UnknownQueue(f"The queue {name} lies outside your scope ({scope}): nothing was changed.")
        return who.actor

    def _list(self, options: dict[str, Any]) -> None:
        caller(options, "viewer")
        names = queue_overview.attached_names()
        line = "{:<40} {:>9} {:>9} {:>9} {:>12} {:>7} {:>12}"
        self.stdout.write(
            line.format(
                "queue", "visible", "in flight", "scheduled", "dead letters", "waiting", "on their way"
            )
        )
        for row in attachments.attachments(names):
            self.stdout.write(line.format(printable(row.queue.name[:40]), *_numbers(row)))
            if row.problem:
                self.stdout.write(printable(f"    {row.problem}"))


def _refuse_more(options: dict[str, Any]) -> None:
    """Refuse options that would be ignored in silence."""
    words = f"attach {_flag(options)}".strip()
    for name in sorted(set().union(*_TAKES.values()) - _TAKES[words]):
        if options[name] is not None and options[name] is not False and options[name] != "":
            argument = "no name of a queue" if name == "name" else f"no option --{name.replace('_', '-')}"
            raise CommandError(f"{words} takes {argument}.", returncode=ASKED_WRONGLY)


def _flag(options: dict[str, Any]) -> str:
    return next((f"--{name}" for name in ("list", "detach", "handled") if options[name]), "")


def _numbers(row: Attachment) -> list[object]:
    metrics = row.metrics
    live = ["?"] * 3 if metrics is None else [metrics.visible, metrics.in_flight, metrics.scheduled]
    return [*live, row.dead_letters, row.waiting, row.on_their_way]
