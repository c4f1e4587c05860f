"""A Django program that is forked when most is done finds nothing else than one that begins anew."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import prepared
from tests.starting import CHECKOUT, Popen
from tests.test_starting import is_running, said
from tests.waiting import eventually

PROGRAM = [sys.executable, "-m", "tests.a_django_program"]
# Read while a server is prepared, and by whom it is decided: not by the environment, or forgotten after it.
BY_NOBODY_ELSE = {
    "ABSOLUTE_URL_OVERRIDES", "AUTH_USER_MODEL", "DEFAULT_AUTO_FIELD", "DEFAULT_INDEX_TABLESPACE",
    "DEFAULT_TABLESPACE", "DLQ_DATABASE_ALIAS", "INSTALLED_APPS", "LANGUAGE_CODE", "LOCALE_PATHS",
    "SESSION_COOKIE_AGE", "USE_I18N",
}  # fmt: skip
FORGOTTEN = {"DATABASES"}
# Notes each name that is asked for outside our settings, and whose answer is another one in each process.
NOTING = """
import importlib, json, os, sys
from django.conf import LazySettings, settings
from tests import imported, prepared
for name in imported.IMPORTED:
    importlib.import_module(name)
settings.INSTALLED_APPS
found = {"settings": set(), "environment": set(), "asked": set()}
asked, read, names = LazySettings.__getattribute__, os._Environ.__getitem__, os._Environ.__iter__
def ask(self, name):
    if name.isupper():
        found["settings"].add(name)
    return asked(self, name)
def note(self, name):
    found["environment"].add(name)
    return read(self, name)
def all_names(self):
    found["environment"].add("all")
    return names(self)
OF_A_PROCESS = ("time", "posix.getp", "posix.urandom", "_random", "_socket", "_thread.start")
def listen(frame, event, function):
    if event == "c_call":
        name = f"{getattr(function, '__module__', '')}.{function.__qualname__}"
        if name.startswith(OF_A_PROCESS):
            found["asked"].add(f"{name} by {frame.f_globals['__name__']}")
LazySettings.__getattribute__, os._Environ.__getitem__, os._Environ.__iter__ = ask, note, all_names
sys.setprofile(listen)
prepared.prepare()
sys.setprofile(None)
print(json.dumps({kind: sorted(names) for kind, names in found.items()}))
"""


def found(kind=Popen, **changed: str) -> dict:
    """What the program finds when it is started so."""
    status, output, errors = said(PROGRAM, kind, env=os.environ | changed, cwd=CHECKOUT)
    assert (status, errors) == (0, "")
    return json.loads(output)


def test_only_what_is_forgotten_or_compared_is_read_before_the_fork():
    command = [sys.executable, "-c", NOTING]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    read = json.loads(done.stdout)
    assert set(read["settings"]) == BY_NOBODY_ELSE | FORGOTTEN | {"DEBUG"}
    assert set(read["environment"]) <= {*prepared.READ, "DLQ_CRASH_POINT"}
    assert read["asked"] == []


def test_those_settings_are_the_same_in_every_environment():
    changed = {"DLQ_HTTPS": "true", "ALLOWED_HOSTS": "dlq.example.org", "DLQ_IDLE_MINUTES": "7"}
    here, there = (found(subprocess.Popen, **said)["settings"] for said in ({}, changed))
    assert here["SECURE_SSL_REDIRECT"] != there["SECURE_SSL_REDIRECT"]
    assert {name: here.get(name) for name in BY_NOBODY_ELSE} == {
        name: there.get(name) for name in BY_NOBODY_ELSE
    }


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"DATABASE_URL": "postgres://somebody:else@127.0.0.1:7/another", "PGAPPNAME": "a test"},
        {"DLQ_RETRY_BATCH_SIZE": "7", "LOG_LEVEL": "DEBUG", "DLQ_MASKED_KEYS": "pet", "TZ": "Asia/Tokyo"},
        {"REDIS_URL": "redis://127.0.0.1:7/3", "DLQ_HTTPS": "true", "ALLOWED_HOSTS": "dlq.example.org"},
        {"DLQ_DATABASE_POOL": "3", "DLQ_CRASH_POINT": "consumer.claimed:7"},
    ],
)
def test_what_a_django_program_finds_is_what_a_new_one_finds(changed):
    new, forked = found(subprocess.Popen, **changed), found(**changed)
    assert (new.pop("prepared"), forked.pop("prepared")) == (False, True)
    assert forked == new


def test_the_next_one_finds_nothing_of_it():
    first = found()
    assert found(DLQ_RETRY_BATCH_SIZE="7")["settings"]["DLQ_RETRY_BATCH_SIZE"] == "7"
    assert found() == first


def test_what_was_read_already_is_not_asked_of_it():
    new, forked = found(subprocess.Popen, DEBUG="true"), found(DEBUG="true")
    assert forked == new
    assert not forked["prepared"]


@pytest.mark.parametrize("changed", [{"DLQ_RETRY_BATCH_SIZE": "some"}, {"DATABASE_URL": ""}])
def test_settings_are_refused_and_complained_of_as_ever(changed):
    command = [sys.executable, "manage.py", "version"]
    new, forked = (
        said(command, kind, env=os.environ | changed, cwd=CHECKOUT) for kind in (subprocess.Popen, Popen)
    )
    assert forked == new
    assert "DLQ_RETRY_BATCH" in forked[2] or "DATABASE_URL" in forked[2]


def test_it_is_for_what_sets_up_django_and_for_nothing_else(tmp_path):
    here = str(CHECKOUT)
    for arguments in (["manage.py", "x"], ["-m", "celery"], ["-m", "tests.operations.worker"], PROGRAM[1:]):
        assert prepared.is_for(arguments, here)
        assert not prepared.is_for(arguments, str(tmp_path))
    for arguments in (
        ["-m", "dlqconsole.pipeline"],
        ["-m", "tests.fork_server"],
        ["-m", "json.tool"],
        ["x.py"],
    ):
        assert not prepared.is_for(arguments, here)


def test_both_servers_end_with_whoever_is_killed():
    driver = (
        "import sys, time; from subprocess import DEVNULL; from tests import starting; import os\n"
        "starting.Popen(sys.argv[1:], stdout=DEVNULL).wait()\n"
        "print(starting.server_of(os.getpid()).process.pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", driver, *PROGRAM]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as killed:
        server = int(killed.stdout.readline())
        second = int(Path(f"/proc/{server}/task/{server}/children").read_text())
        assert is_running(second)
        killed.kill()
    eventually(lambda: not any(map(is_running, (server, second))))


def test_no_second_server_is_made_for_what_needs_none(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("pass")
    driver = (
        "import sys; from tests import starting; import os\n"
        "starting.Popen(sys.argv[1:]).wait()\n"
        "server = starting.server_of(os.getpid()).process.pid\n"
        "print(repr(open(f'/proc/{server}/task/{server}/children').read()))"
    )
    command = [sys.executable, "-c", driver, sys.executable, str(program)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stdout == "''\n"
