"""python -m dlqconsole.pipeline COMMAND"""

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import psycopg

from dlqconsole.features import features
from dlqconsole.processing.texts import printable

from .database import in_words
from .errors import PipelineProblem, masked
from .running.command import Command
from .settings import have_a_secret, read_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. What goes wrong is a line."""
    have_a_secret()
    options = parse(arguments)
    try:
        return _run(options)
    except PipelineProblem as problem:
        return _complain(options.command, str(problem), problem.exit_status)
    except psycopg.Error as error:
        return _complain(options.command, in_words(error), 1)


def _run(options: Namespace) -> int:
    return commands()[options.command].run(replace(read_settings(), adopted_run=options.run), options)


def _complain(command: str, sentence: str, status: int) -> int:
    for line in masked(sentence).splitlines():
        print(f"{command}: {printable(' '.join(line.split()))}", file=sys.stderr)
    return status


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


if __name__ == "__main__":
    sys.exit(main())
