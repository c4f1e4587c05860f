"""Two beats and two workers: the schedule still handles each dead letter once."""

import pytest
from django.db import connection

from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent
from dlqconsole.retries import beat_heartbeats
from dlqconsole.retries.models import RetryRun
from tests.plain_sql import row
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

HEALED, STUBBORN = 400, 100


@pytest.fixture
def due(db) -> None:
    """Dead letters that are due: most of them heal, some fail again and wait for longer than the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dlq_events (event_type, payload, error_reason, error_category)"
            """ SELECT 'order.created', CASE WHEN n <= %s THEN '{}' ELSE '{"do": "dependency"}' END::jsonb,"""
            " 'BillingAway: billing answered 503', 'DEPENDENCY' FROM generate_series(1, %s) n",
            [HEALED, HEALED + STUBBORN],
        )


def test_no_row_is_handled_twice(due, worker, tmp_path):
    settings = {
        "DLQ_RETRY_ENABLED": "true",
        "DLQ_RETRY_FIXED_RATE": "1000",
        "DLQ_RETRY_BACKOFF_BASE": "86400",
    }
    settings |= {"DLQ_RETRY_BACKOFF_CAP": "86400", "DLQ_RETRY_BATCH_SIZE": "10"}
    # a fifth that comes back would slow it, and so many in a row stop it: that is told elsewhere
    settings |= {"DLQ_PACE_ENABLED": "false", "DLQ_BREAKER_FAILURES": "0"}
    for _ in range(2):
        worker(**settings)  # each is a worker of two processes with a beat of its own
    eventually(lambda: DeadLetter.objects.filter(status="SUCCEEDED").count() == HEALED)
    eventually(lambda: DeadLetter.objects.filter(retry_count__gt=0).count() == STUBBORN)
    # and nobody wanted two: that is told
    eventually(lambda: beat_heartbeats.too_many().startswith("2 schedulers alive"))
    assert EnrichedEvent.objects.count() == HEALED
    # full jitter may make a delay short: a stubborn one may have had a second turn, never an uncounted one
    attempts = Attempt.objects.filter(kind="schedule")
    failed = attempts.filter(outcome="failed")
    assert attempts.filter(outcome="succeeded").count() == HEALED
    assert failed.count() == sum(DeadLetter.objects.values_list("retry_count", flat=True))
    eventually(lambda: sum(RetryRun.objects.values_list("claimed", flat=True)) == attempts.count())
    assert row(
        "SELECT count(*) FROM dlq_attempts a JOIN dlq_attempts b ON a.dlq_event_id = b.dlq_event_id"
        " AND a.id < b.id AND b.started_at < a.finished_at"
    ) == (0,)
