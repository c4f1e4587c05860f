"""The supervisor: what dies comes back, and after the end nothing is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.system.processes import all_processes, wait_for

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")

# A service like Spark's: it starts a helper that moves to a process group of its own.
SERVICE = """
import os, subprocess, sys, time
helper = "import os, sys, time; os.setpgid(0, 0); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", helper, sys.argv[1] + "-helper"])
time.sleep(600)
"""
WRONG = """
import sys, time
time.sleep(0.5)
print("a line before")
sys.exit(print("CommandError: DLQ_HANDLERS: 'shop' declares no @handler") or 2)
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
SUPERVISOR = """
import os, sys
from pathlib import Path
from dlqconsole.running.errors import CannotWork
from dlqconsole.running.supervisor import Service, StopAsked, Supervisor

folder, mark, program = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
supervisor = Supervisor(folder)
supervisor.listen()
sleeper = [sys.executable, "-c", program, mark]
supervisor.add(Service("sleeper", sleeper, os.environ, patience=1, hopeless_status=2))
try:
    supervisor.run()
except CannotWork as problem:
    print(problem)
except StopAsked:
    supervisor.stop()
"""


def marked(mark):
    """The processes that carry a mark on their command line."""
    return [pid for pid in all_processes() if mark in _arguments(pid)]


def _arguments(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


@pytest.fixture
def start(tmp_path):
    """Start a supervisor over one service, and see that nothing outlives the test."""
    started = []

    def _start(program=SERVICE):
        mark = f"sleeper-{os.getpid()}-{time.monotonic_ns()}"
        arguments = ["-u", "-c", SUPERVISOR, str(tmp_path), f"{mark}", program]
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert wait_for(lambda: len(services_of(process, mark)) == 1, 10)
        return process, mark

    yield _start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def services_of(supervisor, mark):
    """The marked processes that it started itself: a helper, too, carries the mark until it is a program."""
    return [pid for pid in marked(mark) if parent_of(pid) == supervisor.pid]


def parent_of(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_a_killed_service_is_started_again(start):
    supervisor, mark = start()
    (first,) = services_of(supervisor, mark)
    os.kill(first, signal.SIGKILL)
    assert wait_for(lambda: services_of(supervisor, mark) not in ([], [first]), 10)
    assert "sleeper ended (killed by SIGKILL); starting it again in 0.5 s" in supervisor.stdout.readline()


def test_a_service_that_was_asked_wrongly_is_not_started_again(start):
    supervisor, _mark = start(WRONG)
    said, _ = supervisor.communicate(timeout=10)
    assert said == "sleeper cannot work: DLQ_HANDLERS: 'shop' declares no @handler\n"


def test_what_a_killed_service_had_started_dies_with_it(start):
    supervisor, mark = start()
    assert wait_for(lambda: len(marked(f"{mark}-helper")) == 1, 10)
    (helper,) = marked(f"{mark}-helper")
    os.kill(services_of(supervisor, mark)[0], signal.SIGKILL)
    assert wait_for(lambda: helper not in marked(f"{mark}-helper"), 10)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_after_a_stop_nothing_is_left(start, stop):
    supervisor, mark = start()
    assert wait_for(lambda: len(marked(f"{mark}-helper")) == 1, 10)
    supervisor.send_signal(stop)
    supervisor.send_signal(stop)  # make passes on what the terminal has sent already
    assert supervisor.wait(timeout=10) == 0
    assert marked(mark) == marked(f"{mark}-helper") == []


def test_a_service_that_does_not_listen_is_killed_in_the_end(start):
    supervisor, mark = start(DEAF)
    time.sleep(0.3)  # until it has turned deaf
    supervisor.terminate()
    assert supervisor.wait(timeout=10) == 0
    assert marked(mark) == []


def test_a_killed_supervisor_takes_its_services_along(start):
    supervisor, mark = start()
    supervisor.kill()
    supervisor.wait()
    assert wait_for(lambda: marked(mark) == [], 10)
    for helper in marked(f"{mark}-helper"):  # a service's own children are the service's to end
        os.kill(helper, signal.SIGKILL)
