"""python -m dlqconsole.pipeline rehearse"""

from argparse import ArgumentParser, Namespace

from dlqconsole.pipeline.running.command import Command
from dlqconsole.pipeline.settings import Settings


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--operation", type=int, required=True, metavar="ID", help="whose dead letters: a rehearsal's number"
    )


def _run(settings: Settings, options: Namespace) -> int:
    from dlqconsole.contrib.rehearsals.job.job import rehearse

    return rehearse(settings, options.operation)


COMMAND = Command(
    "rehearse", "run the handlers of a rehearsal, and keep what they would do", _add_arguments, _run
)
