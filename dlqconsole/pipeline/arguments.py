"""The command line: a command is ``command.py`` in a job's folder, or in a feature's ``pipeline``."""

import argparse
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from .running.command import Command

_ROOT = Path(__file__).parent.parent
_FILES = ("pipeline/*/command.py", "contrib/*/pipeline/command.py")


@cache
def commands() -> dict[str, Command]:
    """Every command by its name."""
    files = [file for pattern in _FILES for file in _ROOT.glob(pattern)]
    names = [".".join(file.relative_to(_ROOT.parent).with_suffix("").parts) for file in files]
    modules = [import_module(name) for name in names if name != Command.__module__]
    every = {module.COMMAND.name: module.COMMAND for module in modules}
    return dict(sorted(every.items()))


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line; ends with status 2 and a line when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m dlqconsole.pipeline",
        description="Feed the console with events, and count them.",
        allow_abbrev=False,
    )
    places = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands().values():
        one = places.add_parser(command.name, help=command.help, allow_abbrev=False)
        command.add_arguments(one)
        # a request from the console has a row already: this is its number
        one.add_argument("--run", type=int, metavar="ID", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)
