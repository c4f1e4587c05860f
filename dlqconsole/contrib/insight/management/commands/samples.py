"""manage.py samples: list the samples of successes, set how a type is sampled, erase samples."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.contrib.insight.errors import InvalidSampling
from dlqconsole.contrib.insight.samples import keeping, policies
from dlqconsole.contrib.insight.samples.policies import AS_IT_IS
from dlqconsole.contrib.insight.samples.sampling import SamplePolicy
from dlqconsole.core.errors import EngineError
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import count, reason
from dlqconsole.processing.texts import printable

_MASKED = {"masked": True, "raw": False, "usual": None}


class Command(GatedCommand):
    help = "Show the samples of successes, say how an event type is sampled, or erase samples."

    # Django's checks of the models query the database: they would fail with a traceback when it is away
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_token_option(parser)
        verbs = parser.add_subparsers(dest="verb", metavar="list | set | erase")
        list_help = "how many there are of each type, and how each is sampled (the default)"
        add_token_option(verbs.add_parser("list", help=list_help), of_verb=True)
        self._add_set(verbs.add_parser("set", help="how an event type is sampled from now on"))
        self._add_erase(verbs.add_parser("erase", help="delete samples"))

    def _add_set(self, parser: ArgumentParser) -> None:
        parser.add_argument("event_type", metavar="TYPE")
        parser.description = "What is left out stays as it was said before; usual: as the settings say."
        parser.add_argument("--one-in", type=_one_in, default=AS_IT_IS, metavar="N", help="0: none, or usual")
        parser.add_argument("--store", choices=sorted(_MASKED))
        _add_who(parser)

    def _add_erase(self, parser: ArgumentParser) -> None:
        parser.add_argument("--type", default="", metavar="TYPE", help="all of an event type")
        parser.add_argument("--source", default="", help="all of a source; with --key the one of an event")
        parser.add_argument("--key", default="", help="the event's id in its source")
        _add_who(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"] or "list"
        if verb != "list" and not options["because"]:
            raise CommandError(f'Say why: samples {verb} … --because "the reason"', returncode=ASKED_WRONGLY)
        try:
            role, command_name = ("viewer", "") if verb == "list" else ("admin", f"samples {verb}")
            self.caller = caller(options, role, command_name)
            getattr(self, f"_{verb}")(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _list(self, options: dict[str, Any]) -> None:
        of_type = policies.stored_policies()
        counts = {row["event_type"]: row for row in keeping.count_samples()}
        line = "{:<40} {:>9} {:>9}  {}"
        self.stdout.write(line.format("event type", "samples", "masked", "kept"))
        for name in filter(self._sees, sorted({*counts, *of_type})):
            row = counts.get(name, {"samples": 0, "masked": 0})
            how = _words(of_type.get(name, policies.usual()))
            self.stdout.write(line.format(printable(name[:40]), row["samples"], row["masked"], how))
        self.stdout.write(f"Every other type: {_words(policies.usual())}.")

    def _set(self, options: dict[str, Any]) -> None:
        self._check_seen(options["event_type"])
        one_in, store = options["one_in"], options["store"]
        if one_in is AS_IT_IS and store is None:
            raise CommandError("Say --one-in, --store or both; usual takes back what was said.")
        policy = policies.change(
            options["event_type"],
            one_in=one_in,
            masked=AS_IT_IS if store is None else _MASKED[store],
            actor=self.caller.actor,
            reason=options["because"],
        )
        # the name comes last: "token: one" would look like a secret, and its value be masked
        how = _words(policy)
        self.stdout.write(f"{how[0].upper()}{how[1:]}, of {printable(options['event_type'])}.")
        self.stdout.write("Every writer knows it in a minute.")

    def _erase(self, options: dict[str, Any]) -> None:
        self._check_seen(options["type"])
        number = keeping.erase(
            event_type=options["type"],
            source=options["source"],
            source_key=options["key"],
            actor=self.caller.actor,
            reason=options["because"],
        )
        self.stdout.write(f"{number:,} samples erased.")

    def _sees(self, event_type: str) -> bool:
        """Tell whether the caller sees all of an event type, and so its samples: these have no queue."""
        return current_access().sees(ALL, event_type)

    def _check_seen(self, event_type: str) -> None:
        """Raise InvalidSampling where a caller with a limited scope names no event type of it."""
        access = current_access()
        if access.is_limited and not (event_type and self._sees(event_type)):
            raise InvalidSampling(
                f"Your scope is limited ({access.words()}): name an event type that lies within it."
            )


def _one_in(text: str) -> int | None:
    return None if text == "usual" else count(text)


def _add_who(parser: ArgumentParser) -> None:
    parser.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
    add_token_option(parser, of_verb=True)


def _words(policy: SamplePolicy) -> str:
    if not policy.one_in:
        return "none is kept"
    return f"one in {policy.one_in:,}, {'masked' if policy.is_masked else 'as it came'}"
