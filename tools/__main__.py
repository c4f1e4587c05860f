"""The commands of the Makefile, and some for maintainers: ``python -m tools`` names them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.java import find_java
from tools.demo import run_demo
from tools.flights import load_flights, say_step
from tools.testing import (
    become_pytest,
    run_failed_again,
    run_quick_tests,
    run_security_tests,
    run_tests,
    run_tests_near,
)

USAGE = """usage: python -m tools demo | java | again | freeze_schema
       python -m tools test | quick | near | security [pytest options]
       python -m tools messages [other.po …]"""


def load() -> int:
    """The part of the demo that the supervisor starts behind the console."""
    try:
        return load_flights()
    except RuntimeProblem as problem:
        say_step(f"stopped, the console goes on without: {problem}")
        return problem.exit_status


def java() -> int:
    """Print the JAVA_HOME to use for Spark on this machine."""
    print(find_java(data_directory() / "java"))
    return 0


def messages(others: list[str]) -> int:
    """Write the catalogues of translations anew."""
    from tools.messages import update  # what it needs is installed for tests, not for the demo

    return update(others)


def main(arguments: list[str]) -> int:
    """Run one command; a problem that a person can put right is one line and an exit status."""
    commands: dict[str, Callable[[], int]] = {
        "demo": run_demo,
        "load": load,
        "java": java,
        "test": lambda: run_tests(arguments[1:]),
        "again": run_failed_again,
        "quick": lambda: run_quick_tests(arguments[1:]),
        "near": lambda: run_tests_near(arguments[1:]),
        "security": lambda: run_security_tests(arguments[1:]),
        "freeze_schema": lambda: become_pytest(["tests/upgrades/freeze.py"]),
        "messages": lambda: messages(arguments[1:]),
    }
    takes_none = arguments[:1] in (["demo"], ["load"], ["java"], ["again"], ["freeze_schema"])
    if not arguments or arguments[0] not in commands or (takes_none and len(arguments) > 1):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return commands[arguments[0]]()
    except RuntimeProblem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
