"""Ingest the year and report on it, by one Spark: to start it takes as long as much of what it does then."""

import sys
from pathlib import Path

from dlqconsole.pipeline.__main__ import commands, parse
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.settings import Settings, read_settings


def load(events: Path) -> int:
    """The two jobs as somebody would type them; the exit status of the first that fails."""
    so_far = "the flights are not loaded"
    try:
        settings = read_settings()
        with spark_context(settings, "flights"):
            if status := _run(settings, "ingest", "--source", str(events), "--once"):
                return status
            so_far = "the flights are loaded, but not reported on"
            return _run(settings, "report")
    except PipelineProblem as problem:
        print(f"{so_far}: {problem}", file=sys.stderr)
        return problem.exit_status


def _run(settings: Settings, *words: str) -> int:
    options = parse(words)
    return commands()[options.command].run(settings, options)
