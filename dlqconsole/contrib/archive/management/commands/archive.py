"""manage.py archive: find archived dead letters, take them back into the list, or erase them for ever."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from dlqconsole.console.masking.revelations import note_search
from dlqconsole.contrib.archive import changing, finding
from dlqconsole.contrib.archive.actions import ACTIONS, ADOPT, LISTED
from dlqconsole.contrib.archive.changing import Change
from dlqconsole.contrib.archive.finding import KNOWN, ArchiveMatches, find_numbered
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.letters import Archived, as_json, as_line, find_seen
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.processing.inputs.arguments import item_id
from dlqconsole.processing.quantities import counted

AT_ONCE = 10_000


class Command(ActionCommand):
    help = "Find archived dead letters; take them back into the list, or erase them. Adopt a folder."
    actions = ACTIONS

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(id=[])

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action is not ADOPT:
            parser.add_argument("id", nargs="*", type=item_id, metavar="ID", help="these dead letters")

    def _find(self, options: dict[str, Any]) -> None:
        limit = self.values.pop("limit", LISTED)
        result, absent = self._find_numbers(options["id"]) if options["id"] else (self._search(limit), [])
        for row in result.rows:
            self.stdout.write(as_json(row) if options["json"] else as_line(row))
        problems = [f"There is no archived dead letter {number}." for number in absent]
        if result.unread:
            problems.append(f"Not all of the archive could be read: {result.words()}.")
            problems += [] if current_access().is_limited else result.unread
        if problems:
            raise CommandError(" ".join(problems))
        if not options["json"]:
            self.stderr.write(f"{result.words()}.")

    def _find_numbers(self, numbers: Sequence[int]) -> tuple[ArchiveMatches, list[int]]:
        if self.values:
            raise CommandError(
                "Say numbers or a filter, not both: archive find 41 57", returncode=ASKED_WRONGLY
            )
        return find_numbered(numbers)

    def _search(self, limit: int) -> ArchiveMatches:
        """The matches of the filter among the values."""
        parameters = {name: value for name, value in self.values.items() if name in KNOWN}
        if not parameters:
            raise CommandError(
                "Say what to look for: archive find --q TEXT, or archive find NUMBER",
                returncode=ASKED_WRONGLY,
            )
        letter_filter = DeadLetterFilter.parse(parameters, beside=())
        note_search(letter_filter, self.caller.actor)
        return finding.find(letter_filter, limit=limit)

    def _restore(self, options: dict[str, Any]) -> None:
        self._change(options, changing.restore, "back in the list, as they were")

    def _erase(self, options: dict[str, Any]) -> None:
        self._change(options, changing.erase, "erased")

    def _change(self, options: dict[str, Any], change: Change, past: str) -> None:
        letters = self._letters(options)
        refusals = change(letters, *self.who(options).values())
        for sentence in refusals:
            self.stderr.write(sentence)
        number = len(letters) - len(refusals)
        figures = {options["verb"]: number, "refused": len(refusals)}
        self.say(options, f"{counted(number, 'dead letters')} {past}.", **figures)

    def _adopt(self, options: dict[str, Any]) -> None:
        self.caller.check_unlimited("The folder has everybody's dead letters")
        number = changing.adopt(**self.who(options), expected_missing=self.values.get("expect", 0))
        sentence = f"The folder is this database's: {counted(number, 'files')} of it lie there."
        self.say(options, sentence, adopted=number)

    def _letters(self, options: dict[str, Any]) -> list[Archived]:
        """The letters of the numbers, or all that match the filter if they are as many as expected."""
        numbers = options["id"] or self._matching_ids(options["verb"])
        letters = {number: find_seen(number) for number in dict.fromkeys(numbers)}
        if missing := [number for number, letter in letters.items() if letter is None]:
            raise ArchiveRefused(f"There is no archived dead letter {missing[0]}: nothing was changed.")
        return [letter for letter in letters.values() if letter]

    def _matching_ids(self, verb: str) -> list[int]:
        result = self._search(AT_ONCE)
        for sentence in result.unread if not current_access().is_limited else ():
            self.stderr.write(sentence)
        if not result.is_whole:
            raise ArchiveRefused(f"{result.words()}, and not all are known: nothing was changed.")
        if not result.rows:
            raise ArchiveRefused("No archived dead letter matches: nothing was changed.")
        if self.values.get("expect") != len(result.rows):
            raise CommandError(
                f"{result.words()}: to {verb} them say --expect {len(result.rows)}. Nothing was changed.",
                returncode=ASKED_WRONGLY,
            )
        return [row["id"] for row in result.rows]
