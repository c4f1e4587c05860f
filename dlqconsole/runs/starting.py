"""Start the processes of runs that wait, watch each until it ends, and record why it ended.

The row is the truth. The starter that claims it starts one process, which takes the row up by its number: of
two processes only the first can. Its starter notices a dead process at once, any worker after a minute. If a
starter dies, the kernel sends its process SIGTERM, and the process ends in good order.
"""

import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.places import IS_INSTALLED
from dlqconsole.configuration.settings import NOT_THE_PIPELINES
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.retries import stopping
from dlqconsole.runs import jobs
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.jobs.base import SPARK_MEMORY
from dlqconsole.runs.output import Output, last_line
from dlqconsole.runs.service import wake
from dlqconsole.runs.sql import sql
from dlqconsole.system.processes import Child, ask_to_stop, end_session, spawn

_REASONS = {
    0: stored("it ended without a last word: {last_words}"),
    1: stored("it failed: {last_words}"),
    2: stored("it was asked wrongly, or its settings are wrong: {last_words}"),
    130: stored("it was stopped: {last_words}"),
}
NOT_STARTED = stored("it could not be started: {problem}")
ENDED = stored("it ended with exit status {status:d}: {last_words}")
SAID_NOTHING = stored("it ended with exit status {status:d}, and said nothing")
KILLED = stored("killed by signal {name}")

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
# from SIGTERM to SIGKILL
GRACE_SECONDS = 30.0
# the same while the worker itself has to stop
HURRIED_SECONDS = 5.0


def start_waiting() -> None:
    """Start the runs that wait, one after the other, while there is one that fits the memory here."""
    while not stopping.is_told() and (run := _claim()) is not None:
        _run(run)


def look() -> None:
    """The tick: give back runs without a starter, mark runs that died, wake a worker for runs that wait."""
    fetch_column(sql("asked.give_back"), {})
    fetch_column(core_sql("runs.abandon"), {})
    if fetch_column(sql("asked.waiting"), {}):
        wake()


def command_line(run: dict[str, Any]) -> list[str]:
    """The command line for a claimed run. Raises RunRefused for a job that is not known here."""
    job = jobs.get(run["kind"])
    line = [sys.executable, "-m", "dlqconsole.pipeline", job.name, *job.command(run["arguments"])]
    return [*line, "--run", str(run["id"])]


def _claim() -> dict[str, Any] | None:
    values = {"host": socket.gethostname(), "usual": SPARK_MEMORY, "budget": settings.DLQ_PIPELINE_MEMORY}
    with transaction.atomic(durable=True):
        rows = fetch_dicts(sql("asked.claim"), values)
    return rows[0] | {"arguments": json.loads(rows[0]["arguments"])} if rows else None


def _run(run: dict[str, Any]) -> None:
    try:
        line = command_line(run)
        with closing(Output()) as output:
            exit_status = _run_process(run["id"], line, output)
            text = output.tail()
    except (RunRefused, OSError) as problem:
        _note_end(run["id"], None, "", NOT_STARTED.format(problem=problem))
    else:
        _note_end(run["id"], exit_status, text, _why(exit_status, text))


def _run_process(run_id: int, line: Sequence[str], output: Output) -> int:
    """Run the process to its end; return its exit status."""
    child = _spawn(line, output)
    try:
        _watch(run_id, child, output)
    finally:
        # ends the processes that it left behind: Java, and Python workers in groups of their own
        end_session(child.pid)
    return child.wait()


def _spawn(line: Sequence[str], output: Output) -> Child:
    # without the keys of sessions, audit and broker: handlers and their libraries run in it
    ours = {name: value for name, value in os.environ.items() if name not in NOT_THE_PIPELINES}
    environment = {**ours, "PGAPPNAME": "pipeline", "PYTHONUNBUFFERED": "1"}
    return spawn(line, env=environment, output=output.file, cwd=None if IS_INSTALLED else CHECKOUT)


def _watch(run_id: int, child: Child, output: Output) -> None:
    """Watch the process until it is gone. It notices a cancel by itself; this makes sure of it."""
    asked_at = 0.0
    while child.poll() is None:
        worker_stops, cancelling = stopping.is_told(), _is_cancelling(run_id, output)
        if (worker_stops or cancelling) and not asked_at:
            asked_at = time.monotonic()
            ask_to_stop(child, signal.SIGTERM)
        patience = HURRIED_SECONDS if worker_stops else GRACE_SECONDS
        if asked_at and time.monotonic() - asked_at > patience:
            end_session(child.pid)
        time.sleep(LOOK_SECONDS / 2 if asked_at else LOOK_SECONDS)


def _is_cancelling(run_id: int, output: Output) -> bool:
    """Tell whether the run is being cancelled, and store its output. False while the database is away."""
    try:
        statuses = fetch_column(sql("asked.look_at"), {"id": run_id, "log": output.news()})
    except (DatabaseError, InterfaceError):
        connection.close()
        return False
    return statuses == ["cancelling"]


def _why(exit_status: int, text: str) -> str:
    if stopping.is_told():
        return stored("stopped, because the worker that ran it had to stop: ask again")
    return why_it_ended(exit_status, text)


def _note_end(run_id: int, exit_status: int | None, text: str, message: str) -> None:
    values = {"id": run_id, "exit_status": exit_status, "log": text, "message": message}
    for _attempt in range(10):
        try:
            fetch_column(sql("asked.ended"), values)
        except (DatabaseError, InterfaceError):
            connection.close()
            time.sleep(LOOK_SECONDS)
        else:
            return
    log.warning("run %s ended (%s), and the database is away: it is marked by its silence", run_id, message)


def why_it_ended(exit_status: int, log: str) -> str:
    """Return the cause as a sentence, for a run that did not give it. Below 0: the signal that killed it."""
    if exit_status < 0:
        return _killed(-exit_status)
    last_words = last_line(log)
    words = _REASONS.get(exit_status, ENDED) if last_words else SAID_NOTHING
    return words.format(status=exit_status, last_words=last_words)


def _killed(number: int) -> str:
    if number == signal.SIGKILL:
        return stored(
            "killed by signal 9, probably because the machine was out of memory: lower SPARK_DRIVER_MEMORY or"
            " DLQ_HANDLER_MEMORY, or give it more"
        )
    try:
        name = f"{number} ({signal.Signals(number).name})"
    except ValueError:
        name = str(number)
    return KILLED.format(name=name)
