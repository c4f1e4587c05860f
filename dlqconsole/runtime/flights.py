"""The demo's second half, behind the console: install Spark, find Java, load the flights, report on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import environment
from .errors import RuntimeProblem
from .java import find_java
from .processes import spawn
from .supervisor import say

PREPARED = "flights-prepared"
LOADED = "flights-loaded"


class StepFailed(RuntimeProblem):
    """A step of the load ended badly; the console does not need it."""

    exit_status = 1


def load_flights() -> int:
    """Take all the steps; the second time the data is there and nothing is done again."""
    data = environment.data_directory()
    events = Path(os.environ["FLIGHTS_DATA_DIR"]) / "events"
    if (data / LOADED).exists():
        return 0
    say_step("loading a year of flights through Spark; the console works meanwhile")
    run("install", str(Path(__file__).with_name("bootstrap.py")), "demo", "spark")
    find_java(data / "java")
    run("prepare", "-m", "examples.flights", "prepare")
    (data / PREPARED).touch()
    run("ingest", "-m", "dlqconsole.pipeline", "ingest", "--source", str(events), "--once")
    run("report", "-m", "dlqconsole.pipeline", "report")
    (data / LOADED).touch()
    say_step("all flights are loaded")
    return 0


def say_step(line: str) -> None:
    """A line of progress, told apart from the rest of the terminal."""
    say(f"[flights] {line}")


def run(step: str, *arguments: str) -> None:
    """Run one step, showing what it prints; its errors go to a log, whose end is told when it fails."""
    log = environment.data_directory() / "log" / f"flights-{step}.log"
    with log.open("wb") as errors:
        # In our own session: the supervisor ends this with all that Spark starts, in one go.
        child = spawn(
            [sys.executable, *arguments],
            env=os.environ,
            output=subprocess.PIPE,
            errors=errors,
            cwd=environment.CHECKOUT,
            own_session=False,
        )
        assert child.stdout is not None  # noqa: S101 - a pipe was asked for
        for line in child.stdout:
            say_step(f"{step}: {line.decode(errors='replace').rstrip()}")
    if child.wait() != 0:
        raise StepFailed(
            f"{step} ended with exit status {child.returncode}: {last_line(log)} (all of it: {log})"
        )


def last_line(log: Path) -> str:
    """What a log says in the end, most often the reason."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"
