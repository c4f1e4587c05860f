"""The supervisor: it keeps a set of services running, restarts those that die, and stops them in order."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from dlqconsole.running.errors import CannotWork, DidNotStart
from dlqconsole.running.log_files import open_log, turn
from dlqconsole.system.processes import Child, ask_to_stop, end_session, spawn, wait_for

LONGEST_PAUSE = 30.0
HEALTHY_AFTER = 30.0


class StopAsked(BaseException):
    """The wish to stop everything: a Ctrl-C, a SIGTERM, a closed terminal."""


@dataclass
class Service:
    """One long-lived process: how it starts, how it stops, and when."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    floor: int = 2  # the higher floors stop first; nothing stops before what leans on it
    stop_signal: signal.Signals = signal.SIGTERM
    stops_group: bool = False
    patience: float = 6.0  # seconds from the stop signal to the kill
    restart: bool = True
    hopeless_status: int | None = None  # a service that ends with it would do so again: all stop
    to_terminal: bool = False
    cwd: Path | None = None
    user: int | None = None
    before_exec: Callable[[], None] | None = None
    before_start: Callable[[], None] | None = None
    starts_when: Callable[[], bool] | None = None
    child: Child | None = field(default=None, init=False)
    failures: int = field(default=0, init=False)
    began: float = field(default=0.0, init=False)
    not_before: float = field(default=0.0, init=False)

    def is_running(self) -> bool:
        """Tell whether its process lives."""
        return self.child is not None and self.child.poll() is None


def say(line: str) -> None:
    """One line for the person who watches; a closed terminal is no reason to fall over."""
    with contextlib.suppress(OSError, ValueError):
        print(line, flush=True)


class Supervisor:
    """Owns the services from the first start to the last stop."""

    def __init__(self, log_folder: Path) -> None:
        self.log_folder = log_folder
        self.services: list[Service] = []
        self.stop_asked = False
        log_folder.mkdir(parents=True, exist_ok=True)

    def listen(self) -> None:
        """Take the usual signals as the wish to stop everything."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)

    def _ask_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stop_asked = True

    def add(self, *services: Service) -> None:
        """Take services into care; each is started as soon as it may."""
        for service in services:
            self.services.append(service)
            self._start_if_due(service)

    def run(self) -> None:
        """Keep everything running until somebody wants it to stop."""
        while True:
            self.tick()
            time.sleep(0.1)

    def tick(self) -> None:
        """Look at every service once. Raises StopAsked when it is time to stop, and CannotWork."""
        if self.stop_asked:
            raise StopAsked
        for service in self.services:
            if service.child is not None and service.child.poll() is not None:
                self._note_death(service)
            self._start_if_due(service)
            turn(self.log_file(service.name))

    def wait_until(self, ready: Callable[[], bool], service: Service, seconds: float) -> None:
        """Wait for a service to answer; one that dies three times or takes too long is a problem."""
        deadline = time.monotonic() + seconds
        while not ready():
            self.tick()
            if service.failures >= 3 or time.monotonic() > deadline:
                raise DidNotStart(f"{service.name} did not start:\n{self._last_words(service)}")
            time.sleep(0.1)

    def run_once(self, service: Service) -> None:
        """Run a short command to its end while the services are looked after.

        Raises DidNotStart, CannotWork.
        """
        service.child = self._spawn(service)
        try:
            while service.child.poll() is None:
                self.tick()
                time.sleep(0.05)
        finally:
            end_session(service.child.pid)
        if (status := service.child.wait()) != 0:
            if status == service.hopeless_status:
                raise self._cannot_work(service)
            raise DidNotStart(f"{service.name} failed:\n{self._last_words(service)}")

    def stop(self) -> None:
        """Stop floor by floor, the highest first; what does not listen is killed, with all it started."""
        for floor in sorted({service.floor for service in self.services}, reverse=True):
            running = [service for service in self.services if service.floor == floor and service.child]
            for service in running:
                ask_to_stop(_child(service), service.stop_signal, whole_group=service.stops_group)
            _end_all(running)

    def log_file(self, name: str) -> Path:
        """Return the file for a service's output."""
        return self.log_folder / f"{name}.log"

    def tail(self, name: str, lines: int = 12) -> str:
        """The last lines of a service's log, for a person to read."""
        try:
            text = self.log_file(name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        return "\n".join(f"  {line}" for line in text.splitlines()[-lines:] or ["(it said nothing)"])

    def _last_words(self, service: Service) -> str:
        return "  (it said why above)" if service.to_terminal else self.tail(service.name)

    def _cannot_work(self, service: Service) -> CannotWork:
        if service.to_terminal:
            return CannotWork(f"{service.name} cannot work: it said why above.")
        sentence = self.tail(service.name, 1).strip().removeprefix("CommandError: ")
        return CannotWork(f"{service.name} cannot work: {sentence}")

    def _start_if_due(self, service: Service) -> None:
        if service.child is not None or time.monotonic() < service.not_before:
            return
        if service.starts_when is None or service.starts_when():
            service.child = self._spawn(service)

    def _spawn(self, service: Service) -> Child:
        if service.before_start is not None:
            service.before_start()
        service.began = time.monotonic()
        with open_log(self.log_file(service.name)) as log:
            return spawn(
                service.command,
                env={**service.env, "PGAPPNAME": service.name},
                output=None if service.to_terminal else log,
                death_signal=service.stop_signal,
                user=service.user,
                before_exec=service.before_exec,
                cwd=service.cwd,
            )

    def _note_death(self, service: Service) -> None:
        child = _child(service)
        end_session(child.pid)
        if not service.restart:
            service.starts_when, service.child = _never, None
            return
        if child.returncode == service.hopeless_status:
            raise self._cannot_work(service)
        if time.monotonic() - service.began > HEALTHY_AFTER:
            service.failures = 0
        pause = min(0.5 * 2**service.failures, LONGEST_PAUSE)
        service.failures += 1
        service.child, service.not_before = None, time.monotonic() + pause
        say(f"{service.name} ended ({_how(child.returncode)}); starting it again in {pause:g} s")


def _child(service: Service) -> Child:
    assert service.child is not None  # noqa: S101 - only called for what has been started
    return service.child


def _never() -> bool:
    return False


def _how(status: int) -> str:
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}"


def _end_all(services: Sequence[Service]) -> None:
    start = time.monotonic()
    for service in services:
        patience = service.patience - (time.monotonic() - start)
        _end(_child(service), max(patience, 0.0))


def _end(child: Child, patience: float) -> None:
    wait_for(lambda: child.poll() is not None, patience)
    end_session(child.pid)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=5)
