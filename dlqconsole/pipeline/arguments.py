"""The command line. ``command.py`` in the folder of each job is a command."""

import argparse
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from .running.command import Command


@cache
def commands() -> dict[str, Command]:
    """Every command by its name, in the order of their folders."""
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob("*/command.py"))
    modules = [import_module(f"{__package__}.{folder}.command") for folder in folders if folder != "running"]
    return {module.COMMAND.name: module.COMMAND for module in modules}


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
