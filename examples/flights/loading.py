"""Ingest the year and report on it, by one Spark: to start it takes as long as much of what it does then."""

import sys
from pathlib import Path

from dlqconsole.pipeline.arguments import commands, parse
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.settings import read_settings


def load(events: Path) -> int:
    """The two jobs as somebody would type them; the exit status of the first that fails."""
    try:
        settings = read_settings()
        with spark_context(settings, "flights"):
            for words in (["ingest", "--source", str(events), "--once"], ["report"]):
                given = parse(words)
                if status := commands()[given.command].run(settings, given):
                    return status
    except PipelineProblem as problem:
        print(f"the flights are not loaded: {problem}", file=sys.stderr)
        return problem.exit_status
    return 0
