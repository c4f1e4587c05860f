"""The parts of `dlqconsole up`, each as one service."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from dlqconsole.running.supervisor import Service

# the exit status of a command that was asked wrongly: another start would fail in the same way
ASKED_WRONGLY = 2


def command(*words: str) -> list[str]:
    """A command of ours; what lies in the folder where it starts is no module of it."""
    return [sys.executable, "-P", "-m", "dlqconsole", *words]


def web(address: str, env: Mapping[str, str]) -> Service:
    """The pages, at this address."""
    options = ("--config", "python:dlqconsole.running.web", "--bind", address)
    return _part("web", [sys.executable, "-P", "-m", "gunicorn", "dlqconsole.wsgi", *options], env)


def work(env: Mapping[str, str]) -> Service:
    """Operations, the schedule, the clock, and what starts runs of the pipeline."""
    service = _part("work", command("work"), env)
    service.patience = 14.0
    return service


def consumer(queues: Sequence[str], env: Mapping[str, str]) -> Service:
    """The handlers of some queues."""
    service = _part("consumer", command("consume", *queues), env)
    service.patience = 14.0
    return service


def _part(name: str, line: Sequence[str], env: Mapping[str, str]) -> Service:
    return Service(name, line, env, to_terminal=True, hopeless_status=ASKED_WRONGLY)
