"""manage.py playbooks: list and show playbooks, run one dry, switch one on or off."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from dlqconsole.contrib.playbooks import principal, service, text
from dlqconsole.contrib.playbooks.definition import UnknownPlaybook
from dlqconsole.contrib.playbooks.dry_run import dry_run
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.service import ACTIONS, LIST, RUN, PlaybookAuthor
from dlqconsole.engine.database.error_line import ASKED_WRONGLY
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.texts import printable

HISTORY = 20


class Command(ActionCommand):
    help = "List and show playbooks, say what one would do now, switch one on or off."
    actions = ACTIONS

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action is not LIST:
            parser.add_argument("number", metavar="NUMBER", help="the playbook's number")
        if action is RUN:
            parser.add_argument("--dry-run", action="store_true", help="the only way: nothing is changed")

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse a run that is not dry."""
        if action is RUN and not options["dry_run"]:
            raise CommandError(
                "A playbook acts by itself when it is due. Say playbooks run NUMBER --dry-run to see what it"
                " would do now.",
                returncode=ASKED_WRONGLY,
            )

    def _list(self, options: dict[str, Any]) -> None:
        rows = principal.list_playbooks()
        if not rows and not options["json"]:
            self._say("There are no playbooks. People make them in the console: /playbooks/")
        for row in rows:
            self._tell(
                options, text.facts(row), f"{row.pk}  {text.state(row)}  {row.name}: {text.sentence(row)}"
            )

    def _show(self, options: dict[str, Any]) -> None:
        row = self._row(options)
        story = [text.entry_facts(entry) for entry in row.entries.order_by("-pk")[:HISTORY]]
        facts = text.facts(row) | {"history": story}
        lines = [f"{name}: {value}" for name, value in facts.items() if name != "history" and value != ""]
        lines += [
            f"{each['at']}  {each['outcome']}  {each['operation'] or '-'}  {each['why']}" for each in story
        ]
        self._tell(options, facts, *lines)

    def _run(self, options: dict[str, Any]) -> None:
        row = self._row(options)
        result = dry_run(row)
        self._tell(options, text.figures(row, result), *text.sentences(result))

    def _enable(self, options: dict[str, Any]) -> None:
        self._switch(options, True, "acts by itself from now on")

    def _disable(self, options: dict[str, Any]) -> None:
        self._switch(options, False, "asks for nothing more")

    def _switch(self, options: dict[str, Any], is_on: bool, words: str) -> None:
        row = self._row(options)
        because, caller = options["because"].strip(), self.caller
        author = PlaybookAuthor(caller.actor, because, is_proven=caller.is_proven)
        playbook = service.switch(row.pk, row.version, is_on, author)
        is_changed = playbook.version != row.version
        sentence = f"Playbook {row.pk} {words}." if is_changed else f"Playbook {row.pk} is so already."
        self._tell(options, {"playbook": row.pk, "enabled": is_on, "changed": is_changed}, sentence)

    def _row(self, options: dict[str, Any]) -> Playbook:
        """The playbook within the caller's scope. Raises UnknownPlaybook."""
        number = as_id(options["number"])
        if number is None or not principal.exists(number):
            raise UnknownPlaybook(f"There is no playbook {options['number'][:40]}.")
        return service.get(number)

    def _tell(self, options: dict[str, Any], document: dict[str, Any], *lines: str) -> None:
        for line in [json.dumps(document, default=str)] if options["json"] else lines:
            self._say(line)

    def _say(self, line: str) -> None:
        self.stdout.write(printable(line))
