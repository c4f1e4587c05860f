"""Run one Spark job while the driver keeps its run alive, shows progress and listens for a stop."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from dlqconsole.pipeline.errors import BadRequest, DatabaseAway, PipelineProblem, Stopped
from dlqconsole.system.processes import Stop

from .runs import Run
from .terminal import Terminal

BEAT_SECONDS = 1.0
AWAY = (DatabaseAway, psycopg.OperationalError, psycopg.InterfaceError)
_PROBLEM = re.compile(r"^(?:dlqconsole\.[\w.]+\.)(\w+): (.+)$", re.MULTILINE)
_NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_OTHER_PYTHON = re.compile(r"Python in worker has different version: ([\d.]+)")
_NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
_PYTHON_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit)): (.+)$", re.MULTILINE)

_OURS = "{}.{}".format(*sys.version_info[:2])


class StopSignal:
    """SIGTERM and SIGINT set a flag; work is stopped where it is safe."""

    def __init__(self) -> None:
        self._stop = Stop()
        self._starter = os.getppid()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear the signals in this block."""
        before = {number: signal.signal(number, self._stop.ask) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def wait(self, seconds: float) -> bool:
        """Wait, at most until a stop; tell whether one was asked for."""
        return self._stop.wait(seconds)

    def check(self) -> None:
        """Raise Stopped when a stop was asked for."""
        if self._stop.asked:
            # the kernel sends us SIGTERM when the worker that started us dies
            is_orphan = os.getppid() != self._starter
            raise Stopped("stopped: the process that had started it ended" if is_orphan else "stopped")


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
        with suppress(Exception):  # a signal to the whole group has ended Java, too: nobody answers
            context.cancelAllJobs()
        thread.join(BEAT_SECONDS * 10)
        raise
    if failure:
        stop.check()  # a signal to the whole group reaches the workers first: what they say is not the reason
        raise in_plain_words(failure[0])
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


def in_plain_words(error: BaseException) -> BaseException:
    """The sentence inside Spark's pages of traces."""
    if isinstance(error, PipelineProblem):
        return error
    text = str(error)
    ours = _PROBLEM.findall(text)
    if ours:
        return PipelineProblem(ours[-1][1].strip())
    if sentence := _wrong_python(text):
        return BadRequest(sentence)
    python = _PYTHON_ERROR.findall(text)
    if python:
        name, words = python[-1]
        return PipelineProblem(f"a worker failed: {name.rpartition('.')[2]}: {words.strip()}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return PipelineProblem(f"Spark failed: {first[:500]}")


def _wrong_python(text: str) -> str:
    """A sentence where the Python of the workers is not one that can work for us; else nothing.

    A handler's own import that fails is said by the check before the first event, and never comes here.
    """
    if other := _OTHER_PYTHON.search(text):
        problem = f"Spark's workers run Python {other[1]}, and this is Python {_OURS}"
    elif missing := _NO_MODULE.search(text):
        problem = f"the Python of Spark's workers has no module {missing[1]}"
    elif away := _NO_PYTHON.search(text):
        problem = f"Spark's workers cannot run {away[1]}"
    else:
        return ""
    return (
        f"{problem}: set PYSPARK_PYTHON, before the session is made, to a Python that has all that dlqconsole"
        f" and your job need, such as {sys.executable}"
    )
