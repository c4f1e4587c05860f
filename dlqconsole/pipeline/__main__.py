"""python -m dlqconsole.pipeline ingest | report"""

import sys
from argparse import Namespace
from collections.abc import Sequence

import psycopg

from dlqconsole.processing.texts import printable

from .arguments import NOT_YET, parse
from .database import in_words
from .errors import BadRequest, PipelineProblem
from .settings import read_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. What goes wrong is one line."""
    given = parse(arguments)
    try:
        return _run(given)
    except PipelineProblem as problem:
        return _complain(given.command, str(problem), problem.exit_status)
    except psycopg.Error as error:
        return _complain(given.command, in_words(error), 1)


def _run(given: Namespace) -> int:
    if given.command in NOT_YET:
        raise BadRequest("not available in this version")
    # Spark is imported late: a wrong argument must not cost a second
    if given.command == "report":
        from .report import report

        return report(read_settings(), days=given.day, names=given.name, output=given.output)
    if given.source.startswith("kafka://"):
        raise BadRequest("kafka:// is not available in this version")
    from .ingest import ingest

    return ingest(read_settings(), given.source, once=given.once)


def _complain(command: str, sentence: str, status: int) -> int:
    print(f"{command}: {printable(' '.join(sentence.split()))}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
