"""python -m dlqconsole.pipeline COMMAND"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

import psycopg

from dlqconsole.configuration.reading import have_a_secret
from dlqconsole.processing.texts import printable

from .arguments import commands, parse
from .database import in_words
from .errors import PipelineProblem
from .masking import masked
from .settings import read_settings


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


if __name__ == "__main__":
    sys.exit(main())
