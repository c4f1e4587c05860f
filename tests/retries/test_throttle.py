"""What holds a run back: an open breaker, a rate, and that it began late. No tries are used up meanwhile."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.core.flow.keys import type_key
from dlqconsole.engine import breakers
from dlqconsole.retries import rates, run
from dlqconsole.retries.models import RetryRun
from tests.accounts import person
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

KEY = type_key("order.created")


@pytest.fixture
def held_open():
    breakers.hold(
        KEY, "open", until=timezone.now() + timedelta(hours=1), actor=person("olga"), reason="billing moves"
    )


def test_what_a_breaker_holds_back_is_left_as_it_is_and_no_run_begins_for_it(letters, held_open, settings):
    settings.DLQ_RETRY_FIXED_RATE = 1_000
    letters(3)
    done = run.run()
    assert (done.claimed, done.ended_for, done.more_due) == (0, "held back", True)
    assert KEY in done.note
    assert run.run_when_due() is None
    assert statuses() == {"PENDING": 3}
    assert column("SELECT sum(retry_count) FROM dlq_events") == [0]
    breakers.resume(KEY, actor=person("olga"))
    assert run.run_when_due().succeeded == 3


def test_what_a_breaker_holds_back_is_in_nobodys_way(letters, held_open):
    letters(3)
    free = letters(2, payload='{"total": 1}')
    execute("UPDATE dlq_events SET event_type = 'order.checked' WHERE id = ANY (%s)", free)
    assert run.run().succeeded == 2
    assert statuses() == {"PENDING": 3, "SUCCEEDED": 2}


def test_a_late_run_begins_gently_and_makes_up_for_all_missed_turns(letters, settings, monkeypatch):
    settings.DLQ_RETRY_FIXED_RATE, settings.DLQ_RETRY_TIME_BUDGET = 60_000, 1
    run.run_when_due()
    execute("UPDATE retry_runs SET started_at = started_at - interval '8 h 30 s'")
    letters(100)
    done = run.run_when_due()
    assert done.missed == 479
    assert done.late_seconds > 28_000
    assert 1 <= done.succeeded <= 2 * rates.START_RATE + 2
    assert RetryRun.objects.count() == 2


def test_gentle_is_ten_a_second_in_all_and_twice_as_many_every_ten_seconds():
    assert rates.gentle_rate(0, 1) == 10
    assert rates.gentle_rate(0, 4) == 2.5
    assert rates.gentle_rate(30, 1) == 80
    assert rates.gentle_rate(rates.GENTLE_SECONDS, 1) is None
