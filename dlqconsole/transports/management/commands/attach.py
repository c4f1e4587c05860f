"""manage.py attach <system>:orders: let the console serve a queue of another system."""

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError, UnknownQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.actions import PersonAction
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import add_flags, reason
from dlqconsole.processing.inputs.fields import Field, read_all
from dlqconsole.processing.inputs.plain_text import flag
from dlqconsole.processing.texts import printable
from dlqconsole.transports import attachments, queue_overview, registry
from dlqconsole.transports.actions import ACTIONS, ATTACH
from dlqconsole.transports.attachments import Attachment
from dlqconsole.transports.models import AttachedQueue

# the actions but the first have a flag
FLAGS = ACTIONS[1:]


class Command(GatedCommand):
    help = "Attach a queue of another system: its dead letters come here, revived ones go back to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="QUEUE", help=registry.examples("<queue>"))
        for action in FLAGS:
            parser.add_argument(f"--{action.name}", action="store_true", help=action.help)
        for action in ACTIONS:
            add_flags(parser, action.fields)
        parser.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        action = next((each for each in FLAGS if options[each.name]), ATTACH)
        try:
            _refuse_more(action, options)
            if action.changes and not options["name"]:
                example = f"{registry.others()[0].prefix}:orders"
                raise CommandError(f"Say which: attach {example}, or attach --list", returncode=ASKED_WRONGLY)
            getattr(self, f"_{action.name}")(action, options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _attach(self, action: PersonAction, options: dict[str, Any]) -> None:
        values = read_all(action.fields, _given(action.fields, options))
        queue = attachments.attach(options["name"], **self._who(action, options), **values)
        self.stdout.write(f"{queue.name} is attached: {_becomes(queue)}")

    def _detach(self, action: PersonAction, options: dict[str, Any]) -> None:
        who = self._who(action, options)
        taken_back = attachments.detach(options["name"], **who, take_back=bool(options["take_back"]))
        more = f" {taken_back:,} revived dead letters wait for a person again." if taken_back else ""
        self.stdout.write(f"{options['name']} is detached.{more}")

    def _handled(self, action: PersonAction, options: dict[str, Any]) -> None:
        count = attachments.note_handled(options["name"], **self._who(action, options))
        self.stdout.write(f"{count:,} dead letters handed over to {options['name']} have succeeded.")

    def _who(self, action: PersonAction, options: dict[str, Any]) -> dict[str, str]:
        """Return actor and reason, if they may and see the queue. Raises TokenRefused and UnknownQueue."""
        who = caller(options, action.role, _words(action))
        access = current_access()
        if access.is_limited and not access.sees_queue(registry.full_name(options["name"])):
            name, scope = printable(options["name"][:60]), access.words()
            raise UnknownQueue(f"The queue {name} lies outside your scope ({scope}): nothing was changed.")
        return {"actor": who.actor, "because": options["because"].strip()}

    def _list(self, action: PersonAction, options: dict[str, Any]) -> None:
        caller(options, action.role)
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


def _becomes(queue: AttachedQueue) -> str:
    transport = registry.system_of(queue.transport).open()
    if transport.takes_over:
        return "each message on it becomes a dead letter here, and leaves it."
    if not transport.counts_deliveries(queue.remote_name):
        return "nobody counts there how often a message is read, so what fails is a dead letter at once."
    return f"what is read more than {queue.max_deliveries:,} times and not completed becomes a dead letter."


def _given(fields: Iterable[Field], options: dict[str, Any]) -> dict[str, Any]:
    return {each.name: options[each.name] for each in fields if options[each.name] is not None}


def _words(action: PersonAction) -> str:
    return "attach" if action is ATTACH else f"attach --{action.name}"


def _refuse_more(action: PersonAction, options: dict[str, Any]) -> None:
    """Refuse options that would be ignored in silence."""
    others = [field for each in ACTIONS if each is not action for field in each.fields]
    excess = [flag(name) for name in _given(others, options)]
    excess += [flag(each.name) for each in FLAGS if each is not action and options[each.name]]
    arguments = [f"no option {name}" for name in excess]
    if not action.changes:
        arguments += ["no name of a queue"] if options["name"] else []
        arguments += ["no option --because"] if options["because"] else []
    if arguments:
        raise CommandError(f"{_words(action)} takes {arguments[0]}.", returncode=ASKED_WRONGLY)


def _numbers(row: Attachment) -> list[object]:
    metrics = row.metrics
    live = ["?"] * 3 if metrics is None else [metrics.visible, metrics.in_flight, metrics.scheduled]
    return [*live, row.dead_letters, row.waiting, row.on_their_way]
