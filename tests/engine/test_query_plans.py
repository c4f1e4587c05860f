"""The plans that must not change: a claim and a tick read what they take, not the backlog."""

import re

import pytest
from django.db import connection

from dlqconsole.engine.sql import sql

BACKLOG = 20_000


def explained(query, values):
    """The plan after running the query, with the rows each node read."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '20s'")
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF) {query}", values)
        return "\n".join(row[0] for row in cursor.fetchall())


def rows_read(plan):
    return max(int(found) for found in re.findall(r"actual rows=(\d+)", plan))


@pytest.fixture
def backlog(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, next_retry_at)"
            " SELECT 'q' || n %% 4, '{}', now() + CASE WHEN n %% 2 = 0 THEN interval '1 day' ELSE '-1 s' END"
            " FROM generate_series(1, %s) n",
            [BACKLOG],
        )
        cursor.execute(
            "INSERT INTO dlq_events (event_type, error_reason, error_category, retry_after)"
            " SELECT 'type' || n %% 12, 'Down: ' || n, (ARRAY['TRANSIENT', 'BUSINESS'])[1 + n %% 2],"
            " now() + (n - 100) * interval '1 s' FROM generate_series(1, %s) n",
            [BACKLOG],
        )
        cursor.execute("ANALYZE message_queue")
        cursor.execute("ANALYZE dlq_events")


def test_a_claim_reads_only_what_it_takes(backlog):
    plan = explained(sql("messages.claim"), {"queue": "q1", "limit": 10, "owner": "me", "lease": 60})
    assert "message_queue_claim" in plan
    assert "Seq Scan on message_queue" not in plan
    assert rows_read(plan) <= 10


def test_the_stager_reads_only_what_has_come_due(backlog):
    plan = explained(sql("messages.stage"), {})
    assert "message_queue_scheduled" in plan
    assert "Seq Scan on message_queue" not in plan


def test_reclaiming_looks_only_at_what_is_in_flight(backlog):
    plan = explained(sql("messages.reclaim"), {"max_crashes": 3})
    assert "message_queue_in_flight" in plan


def test_a_tick_of_the_schedule_reads_only_its_batch(backlog):
    plan = explained(sql("dead_letters.claim_due"), {"limit": 25, "owner": "me", "lease": 60})
    assert "dlq_events_due" in plan
    assert "Seq Scan on dlq_events" not in plan
    assert rows_read(plan) <= 25


@pytest.mark.parametrize("name", ["messages.claim", "dead_letters.claim_due"])
def test_a_claim_never_takes_the_shape_that_may_claim_too_much(name):
    """IN (SELECT … LIMIT … SKIP LOCKED) may be planned as a nested loop and claim far more than the limit."""
    statement = re.sub("--.*", "", sql(name))
    assert "MATERIALIZED" in statement
    assert not re.search(r"\bIN \(\s*SELECT", statement)
