"""A pytest plugin: one process collects the tests and forks itself into several, which run them.

``--processes 4``. Processes that each begin anew, as pytest-xdist's do, import and collect everything once
more: of this suite, a minute of work before the first test. These have it all when they begin. Each asks for
a test, or for a whole group (tests/spreading.py), when it has nothing to do, and sends its reports back.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from dataclasses import dataclass, field
from itertools import count, pairwise
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

import pytest

from dlqconsole.system.processes import die_with

# how long a process may take to end what it has open, in seconds
LAST_WORDS = 30
# They hold the connection's own settings, too, and are the same for all.
SHARED = ("DATABASE", "DATABASES")
# Fewer tests may ask for no page at all.
MANY = 300
# the numbers in session.items of what stays together
Unit = list[int]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, help="run the tests in so many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Instead of pytest's own, where several processes were asked for."""
    option = session.config.option
    if option.processes < 2 or option.collectonly or session.testsfailed:
        return None
    crew = Crew(session)
    try:
        crew.run(option.processes)
    finally:
        crew.end()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


@dataclass
class Runner:
    """A process that runs tests, as the one that forked it sees it."""

    pipe: Connection
    process: ForkProcess
    # what it was given and has not begun; what it runs
    unit: Unit = field(default_factory=list)
    at: int | None = None


class Crew:
    """All the processes of a run: hands out the tests and passes on what is said of them."""

    def __init__(self, session: pytest.Session) -> None:
        from tests.spreading import units

        self.session = session
        self.hook = session.config.hook
        self.waiting = deque(units(session.items))
        self.runners: dict[Connection, Runner] = {}
        self.numbers = count()

    def run(self, number: int) -> None:
        """Until every test has been run, or one too many has failed."""
        session = self.session
        if terminal := session.config.pluginmanager.getplugin("terminalreporter"):
            terminal.showfspath = False  # tests of many files come in turns
        if len(self.waiting) > MANY:
            load_pages()
        for _ in range(min(number, len(self.waiting))):
            self.fork()
        while self.runners:
            for pipe in wait(list(self.runners)):
                self.hear(self.runners[pipe])
                if session.shouldfail or session.shouldstop:
                    return

    def fork(self) -> None:
        """One process more."""
        ours, theirs = multiprocessing.Pipe()
        name = f"process{next(self.numbers)}"
        arguments = (self.session, name, theirs, [ours, *self.runners], os.getpid())
        process = multiprocessing.get_context("fork").Process(target=serve, args=arguments, name=name)
        with warnings.catch_warnings():
            # what pyarrow and numpy have waiting for work holds nothing, and is made anew in a fork
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            process.start()
        theirs.close()
        self.runners[ours] = Runner(ours, process)

    def hear(self, runner: Runner) -> None:
        """Take in one message, or that the process has ended."""
        try:
            kind, content = runner.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.ended(runner)
            return
        getattr(self, kind)(runner, content)

    def asks(self, runner: Runner, _content: None) -> None:
        runner.at, runner.unit = None, self.waiting.popleft() if self.waiting else []
        runner.pipe.send(runner.unit)

    def begins(self, runner: Runner, number: int) -> None:
        runner.at = number
        runner.unit = runner.unit[1:]
        item = self.session.items[number]
        self.hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)

    def reports(self, _runner: Runner, content: dict[str, Any]) -> None:
        report = self.hook.pytest_report_from_serializable(config=self.session.config, data=content)
        self.hook.pytest_runtest_logreport(report=report)

    def warns(self, _runner: Runner, content: dict[str, Any]) -> None:
        self.hook.pytest_warning_recorded.call_historic(kwargs=content)

    def finishes(self, _runner: Runner, number: int) -> None:
        item = self.session.items[number]
        self.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def ended(self, runner: Runner) -> None:
        """Nothing more comes from it. What it left undone another one does; what it ran has failed."""
        del self.runners[runner.pipe]
        runner.process.join(LAST_WORDS)
        if runner.process.exitcode == 0:
            return
        if runner.unit:
            self.waiting.appendleft(runner.unit)
        if runner.at is None:
            raise RuntimeError(f"{runner.process.name} of the tests ended with {runner.process.exitcode}")
        self.hook.pytest_runtest_logreport(report=self.crash(runner))
        self.fork()

    def crash(self, runner: Runner) -> pytest.TestReport:
        """The report of a test in which its process ended."""
        item = self.session.items[runner.at or 0]
        said = f"The process ended in this test, with exit code {runner.process.exitcode}"
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")

    def end(self) -> None:
        """Have all end that have not."""
        for runner in self.runners.values():
            if runner.process.is_alive():
                os.kill(runner.process.pid, signal.SIGINT)
        for runner in self.runners.values():
            runner.pipe.close()
            runner.process.join(LAST_WORDS)
            runner.process.kill()


def load_pages() -> None:
    """What each process would load when it shows its first page: all addresses and templates, two seconds."""
    from django.conf import settings
    from django.template import engines
    from django.urls import get_resolver

    get_resolver().reverse_dict  # noqa: B018
    folder = settings.BASE_DIR / "templates"
    for file in sorted(folder.rglob("*.html")):
        engines["django"].get_template(str(file.relative_to(folder)))


def serve(
    session: pytest.Session, name: str, pipe: Connection, others: list[Connection], parent: int
) -> None:
    """What a forked process does: run tests while there are any."""
    die_with(parent, signal.SIGKILL)
    for each in others:
        each.close()
    become(name, session.config)
    sender = Sender(session.config, pipe)
    session.config.pluginmanager.register(sender)
    sender.is_ours = True
    try:
        for unit in iter(lambda: _asked(pipe), []):
            _run(session, unit, pipe)
    except KeyboardInterrupt:
        pass  # whoever forked us says what happened
    finally:
        session._setupstate.teardown_exact(None)


def _asked(pipe: Connection) -> Unit:
    pipe.send(("asks", None))
    return pipe.recv()


def _run(session: pytest.Session, unit: Unit, pipe: Connection) -> None:
    """One test after the other. Of what comes after them only this is known, that the session goes on."""
    items = [session.items[number] for number in unit]
    for number, (item, following) in zip(unit, pairwise([*items, session]), strict=True):
        pipe.send(("begins", number))
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        pipe.send(("finishes", number))


def become(name: str, config: pytest.Config) -> None:
    """Have an environment, folders and captured output of its own."""
    from tests.servers import environment_of_process

    os.environ.update(environment_of_process(name))
    read_settings_again()
    temporary = config._tmp_path_factory
    temporary._basetemp = temporary.getbasetemp() / name
    temporary._basetemp.mkdir()
    config.pluginmanager.unregister(name="terminalreporter")
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()


def read_settings_again() -> None:
    """What the environment says differently for this process goes into Django's settings."""
    from django.conf import settings

    module = sys.modules.get("dlqconsole.settings")
    if module is None:
        return
    before = {name: value for name, value in vars(module).items() if name.isupper()}
    importlib.reload(module)
    for name in before.keys() - set(SHARED):
        if getattr(module, name) != before[name]:
            setattr(settings, name, getattr(module, name))
    if celery := sys.modules.get("dlqconsole.celery"):
        celery.app.conf.broker_url = settings.REDIS_URL


class Sender:
    """Sends what is reported in a process to the one that prints it."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self.config = config
        self.pipe = pipe
        # pytest tells a new plugin all warnings that were recorded before
        self.is_ours = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.pipe.send(("reports", data))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        if not self.is_ours:
            return
        plain = warnings.WarningMessage(
            str(warning_message.message),
            warning_message.category if warning_message.category.__module__ == "builtins" else UserWarning,
            warning_message.filename,
            warning_message.lineno,
        )
        said = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self.pipe.send(("warns", said))
