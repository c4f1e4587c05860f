"""python -m dlqconsole.pipeline replay"""

from argparse import ArgumentParser, Namespace

from dlqconsole.pipeline.running.command import Command
from dlqconsole.pipeline.settings import Settings


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--operation", type=int, required=True, metavar="ID", help="whose dead letters: an operation's number"
    )


def _run(settings: Settings, options: Namespace) -> int:
    from .job import replay

    return replay(settings, options.operation)


COMMAND = Command("replay", "run the handlers of an operation's dead letters", _add_arguments, _run)
