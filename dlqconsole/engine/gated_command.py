"""Commands whose output passes the masking gate, sentences about bad input included.

It does nothing to the terminal either, whatever stands in a name.
"""

from argparse import _SubParsersAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from dlqconsole.engine.access_scope import NobodyAsks, asking_lazily
from dlqconsole.engine.gate import shown
from dlqconsole.processing.hidden_characters import visible

# the tag of the checks at each start of a command
CHECKED = "dlqconsole"


class _GatedOutput(OutputWrapper):
    def write(  # type: ignore[override]
        self, msg: str = "", style_func: Any = None, ending: str | None = None
    ) -> None:
        super().write(visible(shown(msg)), style_func, ending)


class GatedCommand(BaseCommand):
    """The base of every command of ours. Nobody asks until the command says who: ``people.command_line``."""

    # all of Django's are for `manage.py check`: they import every page and the admin, a fifth of a start
    requires_system_checks = [CHECKED]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Allow no abbreviations: one of today may be ambiguous, or mean another option, tomorrow."""
        parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                for verb in action.choices.values():
                    verb.allow_abbrev = False
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        for name in ("stdout", "stderr"):
            stream = options.pop(name, None)
            setattr(self, name, _GatedOutput(stream or getattr(self, name)._out))
        try:
            with asking_lazily(None):
                return super().execute(*args, **options)
        except NobodyAsks as refusal:
            raise CommandError(str(refusal)) from refusal
