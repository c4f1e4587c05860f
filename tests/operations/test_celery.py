"""A real Celery worker and broker: wake-ups arrive, lost ones cost a tick, a stop leaves all resumable."""

import os
import signal

import pytest

from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.operations.requests import service, workers
from tests.celery_workers import lose_all_wakeups
from tests.operations.conftest import ask, counts, messages
from tests.plain_sql import column, execute
from tests.waiting import eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def real_wakeups(monkeypatch, wakeups) -> None:
    monkeypatch.setattr(service, "wake", workers.wake)
    lose_all_wakeups()


def _nothing_is_live() -> bool:
    return not Operation.objects.filter(status__in=LIVE).exists()


def test_a_click_wakes_a_worker(letters, celery):
    celery()  # no beat: only the wake-up can do it
    letters(50)
    operation = ask("revive", filter={})
    eventually(_nothing_is_live)
    assert counts(operation) == ("completed", 50, 50, 0, 0)


def test_a_session_is_kept_between_tasks_and_one_that_was_ended_costs_no_wakeup(letters, celery):
    celery()
    for _ in range(3):
        letters(5)
        operation = ask("revive", filter={"status": "PENDING"})
        eventually(_nothing_is_live)
        assert counts(operation) == ("completed", 5, 5, 0, 0)
        # what a restart of the server does to them
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        assert any(column(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))


def test_with_the_broker_flushed_the_tick_takes_the_operation_up(letters, celery):
    letters(50)
    operation = ask("revive", filter={})
    lose_all_wakeups()
    celery("-B")
    eventually(_nothing_is_live)
    assert counts(operation) == ("completed", 50, 50, 0, 0)


def test_a_worker_told_to_stop_leaves_everything_to_the_next(letters, celery):
    letters(3000)
    # the schedule, which ticks in the second worker, has nothing to do with them
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 day'")
    operation = ask("revive", filter={})
    first = celery()
    eventually(lambda: Operation.objects.get().done > 100)
    first.send_signal(signal.SIGTERM)
    first.wait(40)
    assert counts(operation)[2] > 100
    celery("-B")
    eventually(_nothing_is_live, 60)
    assert counts(operation) == ("completed", 3000, 3000, 0, 0)
    assert messages() == (3000, 3000)


def test_a_worker_killed_with_its_children_is_followed(letters, celery):
    letters(2000)
    # the schedule, which ticks in the second worker, has nothing to do with them
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 day'")
    operation = ask("revive", filter={})
    first = celery()
    eventually(lambda: Operation.objects.get().done > 100)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    celery("-B")
    eventually(_nothing_is_live, 60)
    assert counts(operation) == ("completed", 2000, 2000, 0, 0)
    assert messages() == (2000, 2000)
    assert column("SELECT max(revive_count) FROM dlq_events") == [1]
