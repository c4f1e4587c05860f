"""Several workers in one run: each row once, each attempt counted, and no lane at another's cost."""

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.retries import run, run_records
from dlqconsole.retries.models import RetryRun, RetryRunWorker
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute, value
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def ticks_until_done() -> None:
    """One worker: a tick after the other."""
    due = "SELECT EXISTS (SELECT FROM dlq_events WHERE status = 'PENDING' AND retry_after <= now())"
    while value(due):
        run.run_when_due()


def test_four_workers_share_two_hundred_rows(letters, settings, monkeypatch):
    settings.DLQ_RETRY_FIXED_RATE, settings.DLQ_RETRY_BACKOFF_BASE = 1_000, 50_000
    settings.DLQ_RETRY_BACKOFF_CAP = 50_000
    # 40 in a row that fail alike are an outage, and would be tried one by one
    settings.DLQ_BREAKER_FAILURES, settings.DLQ_PACE_ENABLED = 0, False
    monkeypatch.setattr("random.random", lambda: 1.0)
    monkeypatch.setattr(run_records, "HEARTBEAT_SECONDS", 0.1)
    letters(160, payload='{"do": "sleep", "seconds": 0.005}')
    letters(40, payload='{"do": "transient"}')
    at_once([ticks_until_done] * 4)
    assert statuses() == {"SUCCEEDED": 160, "PENDING": 40}
    assert Attempt.objects.filter(kind="schedule").count() == 200
    assert column("SELECT count(DISTINCT dlq_event_id) FROM dlq_attempts WHERE kind = 'schedule'") == [200]
    assert column("SELECT DISTINCT retry_count FROM dlq_events WHERE status = 'PENDING'") == [1]
    # the book is right: the run's figures are its workers', and nobody did it alone
    assert sum(RetryRun.objects.values_list("claimed", flat=True)) == 200
    shares = list(RetryRunWorker.objects.values_list("claimed", flat=True))
    assert sum(shares) == 200
    assert max(shares) < 200
    assert not RetryRun.objects.filter(finished_at__isnull=True).exists()


def test_a_hundred_slow_ones_do_not_starve_twenty_quick_ones_of_another_type(letters, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 1
    letters(100, payload='{"do": "sleep", "seconds": 0.1}')
    execute("UPDATE dlq_events SET retry_after = now() - interval '1 d'")  # they are due for long
    quick = letters(20, payload='{"total": 1}')
    execute("UPDATE dlq_events SET event_type = 'order.checked' WHERE id = ANY (%s)", quick)
    done = run.run()
    assert done.ended_for == "time"
    assert DeadLetter.objects.filter(event_type="order.checked", status="SUCCEEDED").count() == 20
    assert 1 <= DeadLetter.objects.filter(event_type="order.created", status="SUCCEEDED").count() < 20


def test_a_run_whose_keeper_is_gone_is_kept_by_one_that_has_joined(letters, monkeypatch):
    monkeypatch.setattr(run_records, "HEARTBEAT_SECONDS", 0.0)
    letters(5, payload='{"do": "sleep", "seconds": 0.05}')
    # its keeper has died without a word, and its lock has run out
    execute("INSERT INTO retry_runs (trigger, worker) VALUES ('schedule', 'dead')")
    done = run.run_when_due()
    assert (done.succeeded, done.ended_for) == (5, "nothing due")
    assert done.finished_at is not None
    assert done.worker != "dead"
    assert RetryRun.objects.count() == 1
