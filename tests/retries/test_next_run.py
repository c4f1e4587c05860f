"""Whose turn it is: one run an interval, whoever asks, by the database's clock."""

from datetime import timedelta

import pytest

from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.errors import LockHeld
from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.retries import loop, next_run, run, run_records
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.next_run import is_due, next_run_at
from tests.operations.conftest import statuses
from tests.plain_sql import execute, row
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_run_is_due_at_once():
    assert is_due()


def test_after_a_run_the_next_is_due_an_interval_later(settings):
    settings.DLQ_RETRY_FIXED_RATE = 60_000
    done = run.run_when_due()
    assert not is_due()
    assert next_run_at() == done.started_at + timedelta(seconds=60)
    assert run.run_when_due() is None
    execute("UPDATE retry_runs SET started_at = started_at - interval '61 s'")
    assert is_due()


def test_missed_turns_are_made_up_by_one_run():
    run.run_when_due()
    execute("UPDATE retry_runs SET started_at = started_at - interval '30 days'")
    assert run.run_when_due() is not None
    assert run.run_when_due() is None


def test_switched_off_nothing_runs(settings, letters):
    settings.DLQ_RETRY_ENABLED = False
    letters(1)
    assert run.run_when_due() is None
    assert next_run_at() is None
    assert statuses() == {"PENDING": 1}


def test_what_the_time_budget_left_is_taken_up_at_the_next_tick(settings, letters):
    letters(3)
    settings.DLQ_RETRY_TIME_BUDGET = -1
    assert run.run_when_due().more_due
    assert is_due()
    settings.DLQ_RETRY_TIME_BUDGET = 60
    run.run_when_due()
    assert statuses() == {"SUCCEEDED": 3}
    assert not is_due()


def test_a_run_whose_worker_died_is_followed_once_its_lock_has_run_out(letters):
    execute("INSERT INTO retry_runs (trigger, worker) VALUES ('schedule', 'dead')")
    assert not is_due()
    execute("UPDATE retry_runs SET heartbeat_at = now() - interval '31 s'")
    letters(1)
    assert run.run_when_due().succeeded == 1
    first = RetryRun.objects.order_by("id").first()
    assert first.finished_at is not None
    assert "without a word" in first.note


def test_a_held_lock_is_told_and_nothing_runs(letters):
    letters(1)
    with HeldLock(next_run.LOCK, at_most=30):
        with pytest.raises(LockHeld, match="dlq-retry is held by"):
            run.run()
        assert run.run_when_due() is None
    assert statuses() == {"PENDING": 1}
    assert not RetryRun.objects.exists()


def test_the_lock_is_free_again_after_a_run(letters):
    run.run()
    with HeldLock(next_run.LOCK, at_most=1):
        pass


def test_a_run_that_lost_its_lock_stops_and_says_so(letters, monkeypatch):
    letters(5)
    kept = iter([True, True, True, False])
    monkeypatch.setattr(HeldLock, "is_held", property(lambda _self: next(kept, False)))
    done = run.run()
    assert "lost the lock" in done.note
    assert done.more_due
    assert statuses()["PENDING"] == 5 - done.succeeded > 0


def test_a_run_whose_lock_was_taken_notices_at_its_next_writing(letters, monkeypatch):
    letters(3, payload='{"do": "sleep", "seconds": 0.05}')
    monkeypatch.setattr(run_records, "HEARTBEAT_SECONDS", 0.0)
    monkeypatch.setattr(loop, "HOUSEKEEPING_SECONDS", 0.0)
    original = dead_letters.handle_claim

    def taken_meanwhile(claim):
        execute("UPDATE lock_tokens SET token = token + 1")
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", taken_meanwhile)
    done = run.run()
    assert "lost the lock" in done.note
    # what had begun by then has ended
    assert statuses() == {"SUCCEEDED": 2, "PENDING": 1}


def test_a_run_bears_the_token_of_its_lock_and_none_begins_with_an_older_one():
    first, second = run.run(), run.run()
    assert second.token == first.token + 1
    with HeldLock(next_run.LOCK, at_most=30) as lock:
        execute("UPDATE lock_tokens SET token = token + 1")
        with pytest.raises(LockHeld):
            run_records.begin("schedule", lock)
    assert RetryRun.objects.count() == 2


def test_eight_ticks_at_once_make_one_run(letters):
    letters(20)
    at_once([run.run_when_due] * 8)
    assert RetryRun.objects.count() == 1
    assert statuses() == {"SUCCEEDED": 20}


def test_without_any_lock_four_runs_still_handle_no_row_twice(letters, settings):
    settings.DLQ_RETRY_BATCH_SIZE = 5
    letters(60)
    with HeldLock(next_run.LOCK, at_most=30) as lock:
        at_once([lambda: run._work(run_records.begin("by hand", lock))] * 4)
    assert sum(RetryRun.objects.values_list("succeeded", flat=True)) == 60
    assert sum(RetryRun.objects.values_list("claimed", flat=True)) == 60
    assert row("SELECT count(*), count(DISTINCT dlq_event_id) FROM dlq_attempts") == (60, 60)
