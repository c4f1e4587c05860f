"""The parts of the demo, each as one service: servers, the application, the flights that flow through it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.running.ports import LOOPBACK
from dlqconsole.running.supervisor import Service
from tools.flights import PREPARED

QUEUES = ("flight.departed", "weather.observed", "aircraft.registered")
# Work stops first, then the broker, then PostgreSQL, which everything leans on.
POSTGRES, BROKER, WORK = 0, 1, 2
# the exit status of a command with a wrong setting, such as a DLQ_HANDLERS that names no handlers
ASKED_WRONGLY = 2


class Server(Protocol):
    """An embedded server, as the demo sees it."""

    @property
    def stop_signal(self) -> signal.Signals: ...

    def command(self) -> list[str]:
        """The program and its options."""
        ...


def python(*arguments: str) -> list[str]:
    """A command for the Python that runs us."""
    return [sys.executable, *arguments]


def manage(command: str, env: Mapping[str, str], *options: str) -> Service:
    """One manage.py command, to be run once."""
    line = python("manage.py", command, *options)
    return Service(command, line, env, cwd=CHECKOUT, hopeless_status=ASKED_WRONGLY)


def server_service(name: str, server: Server) -> Service:
    """An embedded server as a service; it is given no more of our environment than it needs."""
    floor = POSTGRES if name == "postgresql" else BROKER
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    return Service(
        name, server.command(), env, floor=floor, stop_signal=server.stop_signal, patience=4, cwd=Path("/")
    )


def application_services(data: Path, port: int, env: Mapping[str, str]) -> list[Service]:
    """Web first, then what works behind it."""
    celery = ("-m", "celery", "-A", "dlqconsole.celery")
    return [
        _work("web", ["-m", "gunicorn", "dlqconsole.wsgi", *_web_options(port)], env),
        _work("worker", [*celery, *_worker("dlqconsole", 2)], env),
        # ticks and scheduled runs: an operation, however long, delays none of them
        _work("ticks", [*celery, *_worker("ticks", 2)], env),
        _pipeline([*celery, *_worker("pipeline", 2)], env),
        _work("beat", [*celery, "beat", "--schedule", str(data / "beat-schedule")], env),
        _work("consumer", ["manage.py", "consume", *QUEUES], env),
    ]


def flight_services(data: Path, env: Mapping[str, str]) -> list[Service]:
    """The flights: loaded once through Spark, then a trickle of new ones."""
    mark = data / PREPARED
    load = _work("flights", ["-m", "tools", "load"], env)
    load.restart, load.to_terminal, load.stops_group = False, True, True
    trickle = _work("trickle", ["-m", "examples.flights", "trickle"], env)
    trickle.starts_when = mark.exists
    return [load, trickle]


def _work(name: str, arguments: Sequence[str], env: Mapping[str, str]) -> Service:
    return Service(name, python(*arguments), env, floor=WORK, cwd=CHECKOUT, hopeless_status=ASKED_WRONGLY)


def _pipeline(arguments: Sequence[str], env: Mapping[str, str]) -> Service:
    """The worker that starts runs of the pipeline; each has a moment to end in good order with it."""
    service = _work("runs", arguments, env)
    service.patience = 12.0
    return service


def _worker(queue: str, processes: int) -> list[str]:
    """A Celery worker on one queue, named after it."""
    return ["worker", "--queues", queue, "--concurrency", str(processes), "--hostname", f"{queue}@%h"]


def _web_options(port: int) -> list[str]:
    return [
        *("--bind", f"{LOOPBACK}:{port}"),
        # modules of both workers are imported once
        *("--workers", "2", "--threads", "4", "--preload"),
        *("--graceful-timeout", "4", "--access-logfile", "-"),
        *("--logger-class", "dlqconsole.console.monitoring.access_log.AccessLog"),
        # It would be a socket in the home folder, shared by all that this person runs.
        "--no-control-socket",
    ]
