"""Runs and the lock as people see them; the take-over, and each refusal."""

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.retries.models import RetryRun
from tests.page_words import words
from tests.plain_sql import execute
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def runs(db) -> None:
    execute(
        "INSERT INTO failure_groups (id, event_type, error_category, error_class, message)"
        " VALUES (7, 'order.created', 'DEPENDENCY', 'BillingAway', 'BillingAway: billing answered <value>');"
        "INSERT INTO retry_runs (started_at, finished_at, trigger, worker, ended_for, note, late_seconds,"
        " missed, claimed, failed, lost)"
        " VALUES (now() - interval '1 h', now() - interval '50 min', 'schedule',"
        " 'host:1:aa', 'time', 'used its 240 s: stopped after 9 attempts, more follow', 7200, 12, 9, 9, 1);"
        "INSERT INTO retry_run_workers (run_id, worker, failures)"
        """ SELECT id, w, '{"7": 4, "8": 1}' FROM retry_runs, unnest(ARRAY['host:1:aa', 'host:2:bb']) w"""
    )


def dead_run() -> None:
    execute(
        "INSERT INTO retry_runs (trigger, worker, heartbeat_at)"
        " VALUES ('schedule', 'host:3:cc', now() - interval '20 s');"
        "INSERT INTO shedlock VALUES ('dlq-retry', timezone('utc', now()) - interval '1 s',"
        " timezone('utc', now()) - interval '31 s', 'host:3:cc')"
    )


def test_a_run_says_what_it_ended_for_that_it_was_late_and_why_attempts_failed(operator, runs):
    page = words(operator.get("/schedules/"))
    assert "Used its 240 s: stopped after 9 attempts, more follow" in page
    assert "It began 2 h late, for 12 missed turns: gently." in page
    assert "2 workers; kept by host:1:aa" in page
    assert "8 \u00d7 BillingAway: billing answered" in page
    assert "2 \u00d7 a group that is gone" in page


def test_a_dead_workers_run_is_taken_over_with_a_reason(operator):
    dead_run()
    assert 'href="/schedules/lock/"' in operator.get("/schedules/").content.decode()
    assert operator.post("/schedules/lock/", {}).status_code == 422
    said = words(operator.post("/schedules/lock/", {"reason": "its host is gone"}, follow=True))
    assert "is taken over: the next begins at the next tick." in said
    assert RetryRun.objects.get().ended_for == "taken over"
    assert AuditEntry.objects.get(action="take over").reason == "its host is gone"


def test_before_its_time_it_is_refused_in_a_sentence_also_on_the_button(operator, viewer):
    dead_run()
    execute("UPDATE shedlock SET lock_until = lock_until + interval '1 min'")
    assert "dlq-retry is held by host:3:cc until" in words(operator.get("/schedules/"))
    answer = operator.post("/schedules/lock/", {"reason": "now"})
    assert answer.status_code == 422
    assert "It can be taken over after that, and not before" in words(answer)
    assert RetryRun.objects.get().finished_at is None
    assert viewer.post("/schedules/lock/", {"reason": "now"}).status_code == 403


def test_two_schedulers_are_told_on_both_pages(viewer):
    execute(
        "INSERT INTO retry_tickers (name, started_at, seen_at)"
        " VALUES ('one', now() - interval '1 h', now()), ('two', now() - interval '1 h', now())"
    )
    for page in ("/", "/schedules/"):
        assert "2 schedulers alive" in words(viewer.get(page))
