"""Run one Spark job while the driver keeps its run alive, shows progress and listens for a stop."""

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from dlqconsole.runtime.stopping import Stop

from .errors import DatabaseAway, PipelineProblem, Stopped
from .runs import Run
from .terminal import Terminal

BEAT_SECONDS = 1.0
AWAY = (DatabaseAway, psycopg.OperationalError, psycopg.InterfaceError)
_PROBLEM = re.compile(r"^(?:dlqconsole\.[\w.]+\.)(\w+): (.+)$", re.MULTILINE)
_PYTHON_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit)): (.+)$", re.MULTILINE)


class StopSignal:
    """SIGTERM and SIGINT set a flag; work is stopped where it is safe."""

    def __init__(self) -> None:
        self._stop = Stop()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear the signals in this block. Starting Spark takes SIGINT for itself: listen again after it."""
        before = {number: signal.signal(number, self._stop.ask) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def wait(self, seconds: float) -> bool:
        """Wait, at most until a stop; whether one was asked for."""
        return self._stop.wait(seconds)

    def check(self) -> None:
        """Raise Stopped when a stop was asked for."""
        if self._stop.asked:
            raise Stopped("stopped")


def run_job[Result](
    context: Any, run: Run, stop: StopSignal, terminal: Terminal, work: Callable[[], Result]
) -> Result:
    """Run `work`, which starts Spark jobs. Raises Stopped, or PipelineProblem with the worker's sentence."""
    outcome: list[Result] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=body, name="spark job", daemon=True)
    thread.start()
    try:
        _watch(thread, run, stop, terminal)
    except BaseException:
        context.cancelAllJobs()
        thread.join(BEAT_SECONDS * 10)
        raise
    if failure:
        stop.check()  # a signal to the whole group reaches the workers first: what they say is not the reason
        raise _in_words(failure[0])
    return outcome[0]


def _watch(thread: threading.Thread, run: Run, stop: StopSignal, terminal: Terminal) -> None:
    while thread.is_alive():
        stop.check()
        # the database may come back; the workers decide how long they wait for it
        with suppress(*AWAY):
            terminal.show(run.beat())
        thread.join(BEAT_SECONDS)
    with suppress(*AWAY):
        terminal.show(run.beat())


def _in_words(error: BaseException) -> BaseException:
    """The sentence inside Spark's pages of traces."""
    if isinstance(error, PipelineProblem):
        return error
    text = str(error)
    ours = _PROBLEM.findall(text)
    if ours:
        return PipelineProblem(ours[-1][1].strip())
    python = _PYTHON_ERROR.findall(text)
    if python:
        name, words = python[-1]
        return PipelineProblem(f"a worker failed: {name.rpartition('.')[2]}: {words.strip()}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return PipelineProblem(f"Spark failed: {first[:500]}")
