"""The demo's second half, behind the console: install Spark, find Java, load the flights, report on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dlqconsole.configuration import demo_environment
from dlqconsole.running.supervisor import say
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.java import find_java
from dlqconsole.system.processes import spawn

PREPARED = "flights-prepared"


class StepFailed(RuntimeProblem):
    """A step of the load ended badly; the console does not need it."""

    exit_status = 1


def load_flights() -> int:
    """Take all the steps that have not been taken; the second time there are none."""
    data = demo_environment.data_directory()
    run("install", str(Path(__file__).with_name("bootstrap.py")), "demo", "spark")
    find_java(data / "java")
    if all((data / f"flights-{step}").exists() for step in ("prepared", "loaded")):
        return 0
    say_step("loading a year of flights through Spark; the console works meanwhile")
    once("prepared", "-m", "examples.flights", "prepare")
    once("loaded", "-m", "examples.flights", "load")
    say_step("all flights are loaded and reported on")
    return 0


def once(step: str, *arguments: str) -> None:
    """Run a step unless an earlier run did it to the end; all of them bear being repeated."""
    mark = demo_environment.data_directory() / f"flights-{step}"
    if not mark.exists():
        run(step, *arguments)
        mark.touch()


def say_step(line: str) -> None:
    """A line of progress, told apart from the rest of the terminal."""
    say(f"[flights] {line}")


def run(name: str, *arguments: str) -> None:
    """Run one step, showing what it prints; its errors go to a log, whose end is told when it fails."""
    log = demo_environment.data_directory() / "log" / f"flights-{name}.log"
    with log.open("wb") as errors:
        # In our own session: the supervisor ends this with all that Spark starts, in one go.
        child = spawn(
            [sys.executable, *arguments],
            env=os.environ,
            output=subprocess.PIPE,
            errors=errors,
            cwd=demo_environment.CHECKOUT,
            own_session=False,
        )
        assert child.stdout is not None  # noqa: S101 - a pipe was asked for
        for line in child.stdout:
            say_step(line.decode(errors="replace").rstrip())
    if child.wait() != 0:
        command = " ".join(arguments[1:3] if arguments[0] == "-m" else arguments)
        raise StepFailed(f"{command} ended with exit status {child.returncode}: {last_line(log)} (see {log})")


def last_line(log: Path) -> str:
    """Return the last line of a log, most often the reason."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"
