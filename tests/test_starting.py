"""What tests/starting.py starts is like what subprocess starts, and outlives nobody."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import starting
from tests.starting import CHECKOUT, Popen
from tests.waiting import eventually

KINDS = [subprocess.Popen, Popen]
SLEEP = "import time; print('here', flush=True); time.sleep(60)"
# Says all that a program may find when it begins.
FOUND = """
import gc, json, os, signal, sys, threading
me, parent, streams = os.getpid(), os.getppid(), (sys.stdin, sys.stdout, sys.stderr)
print(json.dumps({
    "name": __name__, "file": __file__, "main": sys.modules["__main__"].__file__,
    "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path,
    "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o22),
    "parent": parent, "session": os.getsid(0) == me, "group": os.getpgrp() == me or os.getpgrp(),
    "signals": {n: str(signal.getsignal(n)).split(" at ")[0] for n in signal.valid_signals() if n < 32},
    "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "files": sorted(os.listdir("/proc/self/fd"))[:-1], "threads": os.listdir("/proc/self/task") == [str(me)],
    "encodings": [stream.encoding + stream.errors for stream in streams], "stdin": sys.stdin.read(),
    "buffered": [stream.line_buffering for stream in streams], "collects": gc.isenabled(),
}))
"""


@pytest.fixture
def program(tmp_path):
    """program(code) is the command that runs it, as a file."""

    def write(code: str, *arguments: str) -> list[str]:
        file = tmp_path / "program.py"
        file.write_text(code)
        return [sys.executable, str(file), *arguments]

    return write


def said(command, kind=Popen, **options) -> tuple[int, str, str]:
    """How a program ends, and what it says."""
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with kind(command, text=True, **ends, **{"env": dict(os.environ)} | options) as process:
        output, errors = process.communicate("a line\n", timeout=60)
    return process.returncode, output, errors


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("options", [{}, {"start_new_session": True}, {"cwd": "/"}])
def test_a_program_finds_what_a_new_interpreter_finds(program, options):
    command = program(FOUND, "x", "--y")
    (_, new, _), (_, forked, errors) = (said(command, kind, **options) for kind in KINDS)
    assert errors == ""
    assert json.loads(forked) == json.loads(new)


def test_a_module_finds_its_name_and_arguments(tmp_path):
    (tmp_path / "a_module.py").write_text(FOUND)
    command = [sys.executable, "-m", "a_module", "x"]
    (_, new, _), (_, forked, _) = (said(command, kind, cwd=tmp_path) for kind in KINDS)
    assert json.loads(forked) == json.loads(new)
    assert json.loads(forked)["argv"] == [str(tmp_path / "a_module.py"), "x"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print('done')", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('no')", 1),
        ("raise SystemExit(-2)", 254),
        ("import os; file = os.fdopen(os.dup(1), 'w'); file.write('not closed')", 0),
        ("import atexit; atexit.register(print, 'last'); atexit.register(lambda: 1 / 0)", 0),
        ("import os; child = os.fork(); child and os.wait(); print('each', bool(child))", 0),
        ("print('so far'); 1 / 0", 1),
        ("import os; print('lost'); os._exit(4)", 4),
        ("import os; os.kill(os.getpid(), 15)", -signal.SIGTERM),
        ("import signal; signal.raise_signal(signal.SIGINT)", -signal.SIGINT),
        ("import sys; sys.stdout.close(); import atexit; atexit.register(sys.stderr.write, 'bye')", 0),
        ("import threading; threading.Timer(0.1, print, ['late']).start(); print('early')", 0),
        ("f = open('/dev/full', 'w'); import sys; sys.stdout = f; print('x')", 120),
    ],
)
def test_a_program_ends_as_in_a_new_interpreter(program, code, status):
    new, forked = (said(program(code), kind) for kind in KINDS)
    assert forked[:2] == new[:2]
    assert forked[2].splitlines()[-1:] == new[2].splitlines()[-1:]
    assert forked[0] == status


def test_where_interrupts_are_ignored_a_program_ignores_them(program):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    command = program(FOUND)
    (_, new, _), (_, forked, _) = (said(command, kind) for kind in KINDS)
    assert json.loads(forked) == json.loads(new)


def test_nothing_of_one_is_found_by_the_next(program):
    code = (
        "import os, sys; print(os.environ.get('DLQ_X'), getattr(sys, 'mark', 0)); sys.mark = 1; os.chdir('/')"
    )
    assert said(program(code), env=os.environ | {"DLQ_X": "1"})[1] == "1 0\n"
    assert said(program(code))[1] == "None 0\n"


def test_each_draws_other_lots(program):
    code = "import random, uuid, os; print(random.random(), uuid.uuid4(), os.urandom(4).hex())"
    state = random.getstate()
    drawn = [lot for _ in range(3) for lot in said(program(code))[1].split()]
    assert len(set(drawn)) == 9
    assert random.getstate() == state


def test_what_it_says_goes_to_a_file(program, tmp_path):
    with (tmp_path / "log").open("wb") as log:
        process = Popen(
            program("import sys; print(1); sys.exit('two')"), stdout=log, stderr=subprocess.STDOUT
        )
    assert process.wait(30) == 1
    assert sorted((tmp_path / "log").read_text().split()) == ["1", "two"]


def test_it_is_stopped_woken_and_ended_by_signals(program):
    with Popen(program(SLEEP), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "here\n"
        assert process.poll() is None
        process.send_signal(signal.SIGSTOP)
        eventually(lambda: Path(f"/proc/{process.pid}/stat").read_text().rsplit(")")[-1].split()[0] == "T")
        process.send_signal(signal.SIGCONT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.1)
        process.terminate()
        assert process.wait(30) == -signal.SIGTERM
        assert process.stdout.read() == ""


def test_a_group_of_its_own_is_killed_together(program):
    code = "import os, time; child = os.fork(); child and print(child, flush=True); time.sleep(60)"
    with Popen(program(code), stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        pids = [int(process.stdout.readline()), process.pid]
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(30) == -signal.SIGKILL
    eventually(lambda: not any(is_running(pid) for pid in pids))


def test_many_at_once_are_told_apart(program):
    code = "import sys, time; time.sleep(0.3); sys.exit(int(sys.argv[1]))"
    *command, _ = program(code, "")
    running = [Popen([*command, str(number)]) for number in range(10)]
    assert [process.wait(30) for process in running] == list(range(10))


def test_what_cannot_be_forked_gets_a_new_interpreter(program):
    server = starting.server_of(os.getpid())
    code = "import sys; print('tests.fork_server' in sys.orig_argv, 'celery' in sys.modules)"
    assert said([sys.executable, "-c", code])[1] == "False False\n"
    assert said(program(code))[1] == "False True\n"
    assert said(program(code), env=os.environ | {"PYTHONHASHSEED": "1"})[1] == "False False\n"
    assert server is starting.server_of(os.getpid())


def test_what_is_passed_on_is_there(program):
    reads, writes = os.pipe()
    code = f"import os; os.write({writes}, b'through it')"
    with os.fdopen(reads, "rb") as pipe:
        assert said(program(code), pass_fds=[writes])[0] == 0
        os.close(writes)
        assert pipe.read() == b"through it"


def test_a_changed_path_is_that_of_another_server(program, monkeypatch, tmp_path):
    """As after Spark was started in this process."""
    first = starting.server_of(os.getpid())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(starting.CHECKOUT), str(tmp_path)]))
    code = f"import sys; print({str(tmp_path)!r} in sys.path, 'celery' in sys.modules)"
    assert said(program(code))[1] == "True True\n"
    assert starting.server_of(os.getpid()) is not first


def test_no_setting_is_known_before_the_fork(program):
    """Of ours only what lies below the engine is imported: none of it reads anything then."""
    code = (
        "import sys; from django.conf import settings; from django.apps import apps;"
        "print(settings.configured, apps.ready, sorted({'.'.join(name.split('.')[:2]) for name in sys.modules"
        " if name.startswith('dlqconsole')}))"
    )
    rooms = ("configuration", "contrib", "processing", "system")
    ours = ["dlqconsole", *(f"dlqconsole.{room}" for room in rooms)]
    assert said(program(code))[1] == f"False False {ours}\n"


def test_whoever_is_killed_leaves_nothing_behind(program):
    driver = (
        "import os, sys, time; from subprocess import DEVNULL; from tests import starting\n"
        "process = starting.Popen(sys.argv[1:], stdout=DEVNULL, start_new_session=True)\n"
        "print(process.pid, starting.server_of(os.getpid()).process.pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", driver, *program(SLEEP)]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as killed:
        pids = [int(word) for word in killed.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(is_running, pids))
        killed.kill()
    eventually(lambda: not any(map(is_running, pids)))
