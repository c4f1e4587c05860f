"""The command line: ``command.py`` in the folder of each job, and in ``job/`` of each feature with jobs."""

import argparse
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path

from dlqconsole.features import features

from .running.command import Command


@cache
def commands() -> dict[str, Command]:
    """Every command by its name."""
    folders = [file.parent.name for file in Path(__file__).parent.glob("*/command.py")]
    packages = [f"{__package__}.{folder}" for folder in folders if folder != "running"]
    packages += [f"dlqconsole.contrib.{feature.name}.job" for feature in features() if feature.jobs]
    every = [import_module(f"{package}.command").COMMAND for package in packages]
    return {command.name: command for command in sorted(every, key=attrgetter("name"))}


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
