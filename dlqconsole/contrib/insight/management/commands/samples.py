"""manage.py samples: list the samples of successes, set how a type is sampled, erase samples."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from dlqconsole.contrib.insight.samples import keeping
from dlqconsole.contrib.insight.samples.keeping import ACTIONS, LIST, SET, InvalidSampling
from dlqconsole.contrib.insight.samples.sampling import SamplePolicy
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.processing.texts import printable


class Command(ActionCommand):
    help = "Show the samples of successes, say how an event type is sampled, or erase samples."
    actions = ACTIONS

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action is SET:
            parser.add_argument("event_type", metavar="TYPE")

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse a change by a caller with a limited scope that names no event type of it."""
        access, event_type = current_access(), options.get("event_type")
        if action is not LIST and access.is_limited and not (event_type and _sees(event_type)):
            raise InvalidSampling(
                f"Your scope is limited ({access.words()}): name an event type that lies within it."
            )

    def _list(self, options: dict[str, Any]) -> None:
        of_type = keeping.stored_policies()
        counts = {row["event_type"]: row for row in keeping.count_samples()}
        line = "{:<40} {:>9} {:>9}  {}"
        self.stdout.write(line.format("event type", "samples", "masked", "kept"))
        for name in filter(_sees, sorted({*counts, *of_type})):
            row = counts.get(name, {"samples": 0, "masked": 0})
            how = _words(of_type.get(name, keeping.usual()))
            self.stdout.write(line.format(printable(name[:40]), row["samples"], row["masked"], how))
        self.stdout.write(f"Every other type: {_words(keeping.usual())}.")

    def _set(self, options: dict[str, Any]) -> None:
        if not self.values:
            raise CommandError(
                "Say --one-in, --masked or both; usual takes back what was said.", returncode=ASKED_WRONGLY
            )
        event_type, who = options["event_type"], self.who(options)
        policy = keeping.change(event_type, actor=who["actor"], reason=who["reason"], **self.values)
        # the name comes last: "token: one" would look like a secret, and its value be masked
        how = _words(policy)
        self.stdout.write(f"{how[0].upper()}{how[1:]}, of {printable(event_type)}.")
        self.stdout.write("Every writer knows it in a minute.")

    def _erase(self, options: dict[str, Any]) -> None:
        number = keeping.erase(**self.who(options), **self.values)
        self.stdout.write(f"{number:,} samples erased.")


def _sees(event_type: str) -> bool:
    """Tell whether the caller sees all of an event type, and so its samples: these have no queue."""
    return current_access().sees(ALL, event_type)


def _words(policy: SamplePolicy) -> str:
    if not policy.one_in:
        return "none is kept"
    return f"one in {policy.one_in:,}, {'masked' if policy.is_masked else 'as it came'}"
