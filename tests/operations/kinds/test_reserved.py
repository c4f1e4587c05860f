"""Names that are taken are those that forms and the command use: the list says neither more nor less."""

import re
from pathlib import Path

from dlqconsole.console.management.commands.deadletters import Command
from dlqconsole.console.operations.command_options import CONTROLS, READS, every_option
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.parts.list_layout import NAMES
from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.engine.dead_letters.part_rules import COMMAND, LIST
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds import rules

ROOT = Path(__file__).parents[3]
OPTIONS = {field.name for option in every_option() for field in option.inputs}


def test_every_verb_of_the_command_is_taken():
    assert {*READS, *CONTROLS} - set(kinds.names()) == rules.VERBS


def test_every_option_of_the_command_is_taken():
    actions = Command().create_parser("manage.py", "deadletters")._actions
    dests = {action.dest for action in actions}
    flags = {flag.lstrip("-").replace("-", "_") for action in actions for flag in action.option_strings}
    assert dests - OPTIONS - {*parameters()} <= COMMAND
    assert dests | flags >= COMMAND


def test_every_field_of_the_form_is_taken():
    fields = set(RequestForm.base_fields)
    template = ROOT / "templates/console/operations/confirm_form.html"
    fields |= set(re.findall(r'name="(\w+)"', template.read_text()))
    assert fields - OPTIONS <= rules.OPTIONS


def test_what_the_address_of_a_list_holds_is_taken():
    text = (ROOT / "dlqconsole/console/dead_letters/list_views.py").read_text()
    asked = set(re.findall(r'(?:GET\.get\(|)"(\w+)"(?:, ""\)| (?:not )?in request\.GET)', text))
    # a part of the filter may be asked for by name
    assert (asked - {*parameters()}) | NAMES == LIST
