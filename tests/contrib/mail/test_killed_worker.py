"""A worker dies once the server has taken its mail: the next one sends it again, as the same mail."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from subprocess import DEVNULL

import pytest

from dlqconsole.contrib.mail.models import ReportMail
from dlqconsole.engine.models import AuditEntry
from tests.contrib.mail.conftest import TEAM, wait_is_over
from tests.operations.processes import environment_here
from tests.starting import Popen
from tests.waiting import eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def worker(mail_server) -> Iterator[Callable[[], Popen]]:
    """worker() starts one that needs no broker, and gets its settings from the environment."""
    started: list[Popen] = []
    settings = {
        "DLQ_MAIL_URL": f"smtp://127.0.0.1:{mail_server.port}?from=dlq@example.org",
        "DLQ_REPORT_MAIL_TO": TEAM,
        "DLQ_REPORT_AT": "off",
    }

    def start() -> Popen:
        environment = os.environ | environment_here() | settings
        command = [sys.executable, "manage.py", "work"]
        started.append(Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_the_next_worker_sends_what_the_dead_one_did_not_note(mail_server, worker):
    mail_server.once_taken = lambda: first.kill()
    first = worker()
    assert first.wait(timeout=60) == -signal.SIGKILL
    assert len(mail_server.mails) == 1
    assert ReportMail.objects.get().sent_at is None
    mail_server.once_taken = None
    wait_is_over()
    worker()
    eventually(lambda: ReportMail.objects.get().sent_at)
    assert len({mail["Message-ID"] for mail in mail_server.mails}) == 1
    assert len(mail_server.mails) == 2
    assert AuditEntry.objects.filter(action="mail").count() == 1
