"""Without Redis a wake-up is a notice of PostgreSQL, which names one of three tasks and no more."""

from contextlib import closing

import pytest

from dlqconsole import waking
from dlqconsole.engine.database import sessions
from dlqconsole.operations.requests import workers
from dlqconsole.retries import next_run
from dlqconsole.runs import service
from dlqconsole.waking import CHANNEL, WakeNotice


@pytest.fixture
def listener(settings, transactional_db):
    settings.REDIS_URL = ""
    with closing(sessions.own_connection()) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        yield listener


@pytest.mark.parametrize(
    ("wake", "notice"),
    [
        (lambda: workers.wake(12), WakeNotice("operations.run", 12)),
        (lambda: workers.wake(12, 1.5), WakeNotice("operations.run", 12, 1.5)),
        (next_run.wake, WakeNotice("retries.retry_due")),
        (service.wake, WakeNotice("runs.start")),
    ],
    ids=["operation", "operation, later", "schedule", "run"],
)
def test_who_listens_reads_what_was_sent(listener, wake, notice):
    assert not wake()
    (told,) = listener.notifies(timeout=5, stop_after=1)
    assert WakeNotice.read(told.payload) == notice


@pytest.mark.parametrize(
    "text",
    ["", "operations.run", "operations.tidy  0", "operations.run 1 2 3", "os.system 1 0.0", "runs.start x 0"],
)
def test_what_none_of_ours_has_sent_is_no_notice(text):
    assert WakeNotice.read(text) is None


def test_the_sentence_names_the_worker_that_there_is(settings):
    settings.REDIS_URL = ""
    assert waking.worker_command("pipeline") == "manage.py work"
    settings.REDIS_URL = "redis://127.0.0.1"
    assert waking.worker_command("pipeline") == "celery -A dlqconsole.celery worker --queues pipeline"
    assert waking.worker_command("dlqconsole").endswith("--queues dlqconsole,ticks")
