"""The command line: ``command.py`` in the folder of each job, and in ``job/`` of each feature."""

import argparse
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from .running.command import Command

_ROOT = Path(__file__).parents[1]


@cache
def commands() -> dict[str, Command]:
    """Every command by its name, in the order of their folders."""
    files = [*sorted(_ROOT.glob("pipeline/*/command.py")), *sorted(_ROOT.glob("contrib/*/job/command.py"))]
    modules = [import_module(_module(file)) for file in files if file.parent.name != "running"]
    return {module.COMMAND.name: module.COMMAND for module in modules}


def _module(file: Path) -> str:
    return ".".join((_ROOT.name, *file.relative_to(_ROOT).with_suffix("").parts))


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
