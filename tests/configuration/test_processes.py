"""Each kind of process, started for real with bad settings: one line, no traceback, and it ends."""

import os
import subprocess
import sys

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT

PYTHON = [sys.executable]
CELERY = [*PYTHON, "-m", "celery", "-A", "dlqconsole.celery"]
GUNICORN = [*PYTHON, "-m", "gunicorn", "dlqconsole.wsgi", "--bind", "127.0.0.1:0", "--no-control-socket"]
PUBLIC = {"ALLOWED_HOSTS": "dlq.example.org", "DEBUG": "true", "DLQ_HTTPS": "false", "SECRET_KEY": "short"}
BAD = {"DLQ_HANDLER_TIMEOUT": "0", "DLQ_MAX_PAYLOAD_BYTES": "lots"} | PUBLIC
SECRET = (
    "SECRET_KEY cannot be used. It has 5 characters and needs 32; make one by "
    'python3 -c "import secrets; print(secrets.token_urlsafe(50))".'
)
AT_HOME = "with ALLOWED_HOSTS 'dlq.example.org'; that goes with localhost and 127.0.0.1 only."
OPEN = f"DEBUG cannot be true {AT_HOME} DLQ_HTTPS cannot be false {AT_HOME}"
TIMEOUT = "DLQ_HANDLER_TIMEOUT is '0'; it must be a whole number between 1 and 86,400 seconds."
BYTES = "DLQ_MAX_PAYLOAD_BYTES is 'lots'; it must be a whole number between 1 and 268,435,456 bytes."


def ended(command, folder=CHECKOUT) -> subprocess.CompletedProcess:
    environment = {**os.environ, **BAD, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "command",
    [
        [*PYTHON, "manage.py", "check"],
        [*PYTHON, "manage.py", "consume", "orders"],
        [*CELERY, "worker"],
        [*CELERY, "beat"],
    ],
    ids=["manage.py", "consumer", "worker", "beat"],
)
def test_a_process_of_django_says_all_in_one_line(command):
    done = ended(command)
    assert done.returncode == 1
    assert done.stderr == f"dlqconsole cannot start: {SECRET} {BYTES} {TIMEOUT} {OPEN}\n"


def test_the_web_gives_up_before_it_listens():
    done = ended([*GUNICORN, "--workers", "2"])
    said = [line for line in done.stderr.splitlines() if not line.startswith("[")]
    assert done.returncode == 1
    assert said == [f"dlqconsole cannot start: {SECRET} {BYTES} {TIMEOUT} {OPEN}"]
    assert "Listening" not in done.stderr


def test_the_web_gives_up_too_where_gunicorn_does_not_find_our_hook(tmp_path):
    done = ended(GUNICORN, tmp_path)
    assert done.returncode == 3
    assert done.stderr.count(f"dlqconsole cannot start: {SECRET} {BYTES} {TIMEOUT} {OPEN}") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", [["ingest", "--source", "."], ["report"]], ids=["ingest", "report"])
def test_the_pipeline_says_all_in_one_line(line):
    done = ended([*PYTHON, "-m", "dlqconsole.pipeline", *line])
    assert done.returncode == 2
    assert done.stderr == f"{line[0]}: {BYTES} {TIMEOUT}\n"
