"""manage.py rehearse: compare two versions of the handlers on dead letters and on sampled successes."""

import json
from argparse import ArgumentParser
from datetime import timedelta
from itertools import chain
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError
from django.utils import timezone

from dlqconsole.contrib.rehearsals.comparison import cases, comparing
from dlqconsole.contrib.rehearsals.comparison.cases import DEAD_LETTER, SAMPLE, CaseSelection
from dlqconsole.contrib.rehearsals.comparison.comparing import Comparison, compare
from dlqconsole.contrib.rehearsals.comparison.versions import CannotCompare, Version
from dlqconsole.engine.database.error_line import error_line
from dlqconsole.engine.gate import GatedCommand, Shown, shown
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.tokens import TokenRefused
from dlqconsole.processing.inputs.arguments import count
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.times import as_duration

BROKEN, USAGE = 1, 2


class Command(GatedCommand):
    help = (
        "Run two versions of the handlers on dead letters and sampled successes, and say what differs."
        " Nothing is written. Ends with 1 where something is newly broken, with 2 where it cannot compare."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--handlers", metavar="MODULES", help="modules with handlers, comma separated (DLQ_HANDLERS)")
        add("--handlers-from", metavar="DIR", help="look for them here first: a checkout of another branch")
        add("--than", metavar="MODULES", help="compared with these (DLQ_HANDLERS)")
        add("--than-from", metavar="DIR", help="look for these here first")
        add("--against", metavar="AGE", default="90d", help="what was met in so long a time: 24h, 90d (90d)")
        add("--type", metavar="T", default="", help="of this event type only")
        add("--limit", metavar="N", type=count, default=10_000, help="so many of each, the newest (10,000)")
        add("--json", action="store_true", help="one JSON object")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            now, before = _versions(options)
            caller(options, "operator", "rehearse")
            selection = _selection(options)
            comparison = _compare(now, before, selection)
            masked_count, more = cases.count_masked(selection), cases.count_more(selection)
        except (CannotCompare, TokenRefused) as refusal:
            raise CommandError(str(refusal), returncode=USAGE) from refusal
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(error_line(error), returncode=USAGE) from error
        if options["json"]:
            self.stdout.write(Shown(json.dumps(_masked(comparing.as_object(comparison, masked_count, more)))))
        else:
            self._say(now, before, comparison, comparing.lines(comparison, masked_count, more))
        if comparison.newly_broken:
            raise CommandError(f"{comparison.newly_broken:,} newly broken.", returncode=BROKEN)

    def _say(self, now: Version, before: Version, comparison: Comparison, lines: Any) -> None:
        letters, samples = comparison.total(DEAD_LETTER), comparison.total(SAMPLE)
        self.stdout.write(f"Handlers: {now.words}; compared with: {before.words}.")
        self.stdout.write(f"Run on {letters:,} dead letters and {samples:,} sampled successes.")
        for line in lines:
            self.stdout.write(line)


def _versions(options: dict[str, Any]) -> tuple[Version, Version]:
    """Return the new version and the one to compare it with. Raises CannotCompare."""
    for name in ("handlers", "handlers_from", "than", "than_from"):
        if options[name] is not None and not options[name].strip():
            raise CannotCompare(f"--{name.replace('_', '-')} is empty; give a value, or leave it out.")
    now = Version.of(options["handlers"], options["handlers_from"], "--handlers")
    before = Version.of(options["than"], options["than_from"], "--than")
    if now.is_same(before):
        raise CannotCompare("Both are the same: say which other version, by --handlers or --handlers-from.")
    return now, before


def _selection(options: dict[str, Any]) -> CaseSelection:
    age = as_duration(options["against"].strip())
    if not age or age > timedelta(days=36_500):
        raise CannotCompare(f"--against is an age such as 24h or 90d; it is {quoted(options['against'])}.")
    if not 1 <= options["limit"] <= 1_000_000:
        raise CannotCompare(f"--limit lies between 1 and 1,000,000; it is {options['limit']:,}.")
    return CaseSelection(timezone.now() - age, options["type"], options["limit"])


def _compare(now: Version, before: Version, selection: CaseSelection) -> Comparison:
    with now.running() as new, before.running() as old:
        return compare(chain(cases.dead_letters(selection), cases.samples(selection)), new, old)


def _masked(value: Any) -> Any:
    """Mask every text of an object by itself: a mask over the whole JSON could break it."""
    if isinstance(value, dict):
        return {key: _masked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return str(shown(value)) if isinstance(value, str) else value
