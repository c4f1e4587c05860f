"""The command line. ``command.py`` in the folder of each job is a command; features declare others."""

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dlqconsole.features.installed import features, named

from .running.command import Command


@cache
def commands() -> dict[str, Command]:
    """Every command by its name."""
    folders = (file.parent.name for file in Path(__file__).parent.glob("*/command.py"))
    paths = [f"{__package__}.{folder}.command.COMMAND" for folder in folders if folder != "running"]
    paths += [path for feature in features() for path in feature.pipeline_commands]
    every = {command.name: command for command in map(named, paths)}
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
