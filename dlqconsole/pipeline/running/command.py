"""A command of ``python -m dlqconsole.pipeline``."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

from dlqconsole.pipeline.settings import Settings


@dataclass(frozen=True, slots=True)
class Command:
    """A job by the name under which it is called. ``COMMAND`` of ``command.py`` in its folder is one.

    ``run`` gives the exit status, and raises PipelineProblem with a sentence. It imports Spark late: a wrong
    argument must not cost a second. Its run begins by ``record_run(settings, …)``: that takes up the row of
    who asked for it in the console.
    """

    name: str
    help: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Settings, Namespace], int]
