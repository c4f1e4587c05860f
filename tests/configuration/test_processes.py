"""Each kind of process, started for real with bad settings: a line for each, no traceback, and it ends."""

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
    "SECRET_KEY: It has 5 characters and needs 32; make one by "
    'python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
)
AT_HOME = "with ALLOWED_HOSTS 'dlq.example.org'; that goes with localhost and 127.0.0.1 only"
HTTPS = f"DLQ_HTTPS is 'false': It cannot be false {AT_HOME}"
DEBUG = f"DEBUG is 'true': It cannot be true {AT_HOME}"
BYTES = (
    "DLQ_MAX_PAYLOAD_BYTES is 'lots': Input should be a valid integer, unable to parse string as an integer"
)
TIMEOUT = "DLQ_HANDLER_TIMEOUT is '0': Input should be greater than or equal to 1"
LINES = [f"dlqconsole cannot start: {problem}." for problem in (SECRET, HTTPS, DEBUG, BYTES, TIMEOUT)]


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
def test_a_process_of_django_prints_a_line_for_each(command):
    done = ended(command)
    assert done.returncode == 1
    assert done.stderr.splitlines() == LINES


def test_the_web_gives_up_before_it_listens():
    done = ended([*GUNICORN, "--workers", "2"])
    said = [line for line in done.stderr.splitlines() if not line.startswith("[")]
    assert done.returncode == 1
    assert said == LINES
    assert "Listening" not in done.stderr


def test_the_web_gives_up_too_where_gunicorn_does_not_find_our_hook(tmp_path):
    done = ended(GUNICORN, tmp_path)
    assert done.returncode == 3
    assert done.stderr.count("\n".join(LINES)) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", [["ingest", "--source", "."], ["report"]], ids=["ingest", "report"])
def test_the_pipeline_prints_a_line_for_each(line):
    done = ended([*PYTHON, "-m", "dlqconsole.pipeline", *line])
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"{line[0]}: {problem}" for problem in (HTTPS, DEBUG, BYTES, TIMEOUT)]
