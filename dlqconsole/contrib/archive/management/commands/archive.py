"""manage.py archive: find archived dead letters, take them back into the list, or erase them for ever."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.masking.searches import note_search
from dlqconsole.contrib.archive import adopting, changing, finding
from dlqconsole.contrib.archive.errors import ArchiveRefused
from dlqconsole.contrib.archive.finding import ArchiveMatches
from dlqconsole.contrib.archive.letters import Archived, find_seen
from dlqconsole.contrib.archive.numbered import find_numbered
from dlqconsole.contrib.archive.text import as_json, as_line
from dlqconsole.core.errors import EngineError, InvalidFilter
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, error_line, refused
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import count, item_id, reason
from dlqconsole.processing.inputs.flags import Once
from dlqconsole.processing.plurals import counted

LISTED, AT_ONCE = 50, 10_000
_NEEDED = {"find": "viewer", "restore": "operator", "erase": "admin", "adopt": "admin"}
_DO = {"restore": (changing.restore, "back in the list, as they were"), "erase": (changing.erase, "erased")}


class Command(GatedCommand):
    help = (
        "Find archived dead letters by the list's filter; take them back into the list, or erase them."
        " Adopt a folder that is the right one though its mark is not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("verb", choices=tuple(_NEEDED), metavar="VERB", help=", ".join(_NEEDED))
        parser.add_argument("id", nargs="*", type=item_id, metavar="ID", help="these dead letters")
        for name in finding.KNOWN:
            parser.add_argument(f"--{name}", action=Once, help=f"the list's filter “{name}”")
        add = partial(parser.add_argument, action=Once)
        add("--because", type=reason, help="why; needed to restore, to erase and to adopt")
        add(
            "--expect",
            type=count,
            metavar="N",
            help="how many a filter finds, or files that an adopted folder lacks: else nothing is changed",
        )
        add("--limit", type=count, metavar="N", help=f"rows that are listed ({LISTED})")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"]
        try:
            self.caller = caller(options, _NEEDED[verb], "" if verb == "find" else f"archive {verb}")
            if verb == "find":
                self._find(options)
            else:
                self._change(verb, options)
        except InvalidFilter as error:
            raise CommandError(error_line(error), returncode=ASKED_WRONGLY) from error
        except (ArchiveRefused, EngineError, DatabaseError, InterfaceError) as error:
            raise refused(error) from error

    def _find(self, options: dict[str, Any]) -> None:
        limit = LISTED if options["limit"] is None else options["limit"]
        result, absent = self._find_numbers(options) if options["id"] else (self._search(options, limit), [])
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

    def _find_numbers(self, options: dict[str, Any]) -> tuple[ArchiveMatches, list[int]]:
        if self._filter_parameters(options):
            raise CommandError(
                "Say numbers or a filter, not both: archive find 41 57", returncode=ASKED_WRONGLY
            )
        return find_numbered(options["id"])

    def _filter_parameters(self, options: dict[str, Any]) -> dict[str, str]:
        """The parts of the filter."""
        return {name: options[name] for name in finding.KNOWN if options[name] is not None}

    def _search(self, options: dict[str, Any], limit: int) -> ArchiveMatches:
        parameters = self._filter_parameters(options)
        if not parameters:
            raise CommandError(
                "Say what to look for: archive find --q TEXT, or archive find NUMBER",
                returncode=ASKED_WRONGLY,
            )
        letter_filter = DeadLetterFilter.parse(parameters, beside=())
        note_search(letter_filter, self.caller.actor)
        return finding.find(letter_filter, limit=limit)

    def _change(self, verb: str, options: dict[str, Any]) -> None:
        if not (options["because"] or "").strip():
            raise CommandError(f'Say why: archive {verb} … --because "the reason"', returncode=ASKED_WRONGLY)
        if verb == "adopt":
            self._adopt(options)
            return
        letters = self._letters(verb, options)
        do, past = _DO[verb]
        refusals = do(letters, self.caller.actor, options["because"])
        for sentence in refusals:
            self.stderr.write(sentence)
        number = len(letters) - len(refusals)
        self.stdout.write(
            json.dumps({verb: number, "refused": len(refusals)})
            if options["json"]
            else f"{counted(number, 'dead letters')} {past}."
        )

    def _adopt(self, options: dict[str, Any]) -> None:
        if options["id"] or self._filter_parameters(options):
            raise CommandError(
                "adopt takes no dead letters: it is about the whole folder", returncode=ASKED_WRONGLY
            )
        self.caller.check_unlimited("The folder has everybody's dead letters")
        number = adopting.adopt(self.caller.actor, options["because"], options["expect"] or 0)
        self.stdout.write(
            json.dumps({"adopted": number})
            if options["json"]
            else f"The folder is this database's: {counted(number, 'files')} of it lie there."
        )

    def _letters(self, verb: str, options: dict[str, Any]) -> list[Archived]:
        """The letters of the numbers, or all that match the filter if they are as many as expected."""
        numbers = options["id"] or self._matching_ids(verb, options)
        letters = {number: find_seen(number) for number in dict.fromkeys(numbers)}
        if missing := [number for number, letter in letters.items() if letter is None]:
            raise ArchiveRefused(f"There is no archived dead letter {missing[0]}: nothing was changed.")
        return [letter for letter in letters.values() if letter]

    def _matching_ids(self, verb: str, options: dict[str, Any]) -> list[int]:
        result = self._search(options, AT_ONCE)
        self._write_unread(result)
        if not result.is_whole:
            raise ArchiveRefused(f"{result.words()}, and not all are known: nothing was changed.")
        if not result.rows:
            raise ArchiveRefused("No archived dead letter matches: nothing was changed.")
        if options["expect"] != len(result.rows):
            raise CommandError(
                f"{result.words()}: to {verb} them say --expect {len(result.rows)}. Nothing was changed.",
                returncode=ASKED_WRONGLY,
            )
        return [row["id"] for row in result.rows]

    def _write_unread(self, result: ArchiveMatches) -> None:
        for sentence in result.unread if not current_access().is_limited else ():
            self.stderr.write(sentence)
