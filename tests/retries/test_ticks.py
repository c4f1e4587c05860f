"""A real Celery worker: what becomes of its messages changes nothing; SIGTERM ends a run in good order."""

import pickle
import signal

import pytest
import redis
from django.conf import settings

from dlqconsole.celery import TICKS, app
from dlqconsole.engine.models import Attempt
from dlqconsole.retries.models import RetryRun
from tests.celery_workers import KEYS, lose_all_wakeups
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute
from tests.waiting import as_soon_as, eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def tick(times: int = 1, **options) -> None:
    for _ in range(times):
        app.send_task("retries.retry_due", **options)


def waits_in_broker() -> int:
    return redis.from_url(settings.REDIS_URL).llen(KEYS[TICKS])


def all_read() -> None:
    """The worker has had what was sent."""
    eventually(lambda: waits_in_broker() == 0)


class Evil:
    """Unpickling it marks every dead letter."""

    def __reduce__(self):
        return execute, ("UPDATE dlq_events SET owner = 'unpickled'",)


def test_lost_doubled_late_and_foreign_messages_change_nothing_and_sigterm_reaches_the_run(letters, celery):
    letters(40, payload='{"do": "sleep", "seconds": 0.01}')
    lose_all_wakeups()
    worker = celery(DLQ_RETRY_PARALLEL="2")
    tick()
    lose_all_wakeups()  # lost, or just taken
    tick(8)
    eventually(lambda: statuses() == {"SUCCEEDED": 40})
    assert Attempt.objects.count() == len(column("SELECT DISTINCT dlq_event_id FROM dlq_attempts")) == 40
    eventually(lambda: RetryRun.objects.get().finished_at is not None)

    # an hour late: the turn has passed, and a row that is done is done
    tick()
    # in a language that we do not speak
    with app.producer_or_acquire() as producer:
        producer.publish(
            pickle.dumps(((), {}, Evil())), content_type="application/x-python-serialize",
            content_encoding="binary", routing_key=TICKS, headers={"task": "retries.retry_due", "id": "1"},
        )  # fmt: skip
    all_read()
    assert RetryRun.objects.count() == 1
    assert column("SELECT DISTINCT owner = 'unpickled' FROM dlq_events") == [False]

    # the lock is kept for a second at least, and a tick that meets it does nothing
    eventually(lambda: column("SELECT lock_until <= timezone('UTC', now()) FROM shedlock") == [True])
    execute("DELETE FROM retry_runs")
    slow = letters(2, payload='{"do": "sleep", "seconds": 20}')
    letters(30, payload='{"do": "sleep", "seconds": 20}')
    tick()
    as_soon_as(lambda: column("SELECT count(*) FROM dlq_events WHERE begun_at IS NOT NULL") == [2])
    worker.send_signal(signal.SIGTERM)
    worker.wait(40)
    assert statuses() == {"SUCCEEDED": 40, "PENDING": 32}
    charged = column("SELECT id FROM dlq_events WHERE retry_count > 0 ORDER BY id")
    assert charged == slow
    assert column("SELECT max(crash_count) FROM dlq_events") == [0]
    assert Attempt.objects.filter(outcome="failed", error_reason__contains="told to stop").count() == 2
    done = RetryRun.objects.get()
    assert (done.ended_for, done.more_due, done.failed) == ("stopped", True, 2)
