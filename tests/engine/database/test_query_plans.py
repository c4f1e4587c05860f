"""The plans that must not change: a claim and a tick read what they take, not the backlog.

In a soak 200,000 messages wait on four queues, and 300,000 more are scheduled for later.
"""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection

from dlqconsole.core import schema
from dlqconsole.core.messages.claims import START
from dlqconsole.core.sql import sql
from dlqconsole.engine.models import Queue
from dlqconsole.engine.sql import sql as engine_sql
from dlqconsole.transports import lost
from tests.engine.database.claim_statement import claim_statement
from tests.plain_sql import execute
from tests.sizes import sized

BACKLOG = sized(100_000, 200_000)
SCHEDULED = sized(50_000, 300_000)
LETTERS = 20_000

AUTO_EXPLAIN = {
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "client_min_messages": "log",
}

pytestmark = [pytest.mark.django_db, pytest.mark.sized]


@pytest.fixture(scope="module", autouse=True)
def backlog(django_db_setup, test_database, django_db_blocker):
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, priority, status, next_retry_at)"
            " SELECT 'q' || n %% 4, '{}', CASE WHEN n > %s THEN 9 ELSE 0 END,"
            " CASE WHEN n > %s THEN 'scheduled' ELSE 'pending' END,"
            " CASE WHEN n > %s THEN now() + '1 day' ELSE now() END FROM generate_series(1, %s) n",
            [BACKLOG, BACKLOG, BACKLOG, BACKLOG + SCHEDULED],
        )
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, group_key)"
            " SELECT 'grouped', '{}', 'g' || n % 20 FROM generate_series(1, 5000) n"
        )
        cursor.execute(
            "INSERT INTO dlq_events (event_type, error_reason, error_category, retry_after)"
            " SELECT 'type' || n %% 12, 'Down: ' || n, (ARRAY['TRANSIENT', 'BUSINESS'])[1 + n %% 2],"
            # however long the tests take, it is these hundred that are due
            " now() + (n - 100) * interval '1 h' FROM generate_series(1, %s) n",
            [LETTERS],
        )
        cursor.execute("INSERT INTO queues (name, on_dead_letter) VALUES ('held', 'hold')")
        cursor.execute(
            "INSERT INTO dlq_events (event_type, error_category, queue, group_key, original_message_id)"
            " SELECT 'held', 'BUSINESS', 'held', 'g' || n, n FROM generate_series(1, 5000) n"
        )
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, group_key)"
            " SELECT 'held', '{}', 'g' || n % 20 FROM generate_series(1, 5000) n"
        )
        cursor.execute("VACUUM ANALYZE message_queue, dlq_events")
        yield
        test_database.restore()


def explained(query, values):
    """The plan that a prepared statement keeps, after running it, with the rows that each node read."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", query)))
    for number, name in enumerate(names, start=1):
        query = query.replace(f"%({name})s", f"${number}")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("SET LOCAL statement_timeout = '20s'")
        cursor.execute(f"PREPARE explained AS {query}")
        try:
            cursor.execute(
                "EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF) EXECUTE explained"
                + (f" ({', '.join(['%s'] * len(names))})" if names else ""),
                [values[name] for name in names],
            )
            return "\n".join(row[0] for row in cursor.fetchall())
        finally:
            cursor.execute("DEALLOCATE explained")


def explained_inside(query, values):
    """The plans of the statements on messages that functions ran, with the rows that each node read."""
    plans = []
    raw = connection.connection
    with connection.cursor() as cursor:
        cursor.execute("LOAD 'auto_explain'")
        for name, value in AUTO_EXPLAIN.items():
            cursor.execute(f"SET LOCAL {name} = '{value}'")
        raw.add_notice_handler(keep := lambda notice: plans.append(notice.message_primary))
        cursor.execute(query, values)
        raw.remove_notice_handler(keep)
        cursor.execute("SET LOCAL client_min_messages = notice")
    return "\n".join(plan.partition("\n")[2] for plan in plans if "message_queue" in plan)


def claim_plan(queue, limit=10, place=START):
    return explained_inside(sql("messages.take"), claim_values(queue, place) | {"limit": limit})


def rows_read(plan):
    """The most rows that one node read or threw away."""
    kept = [float(found) for found in re.findall(r"actual rows=([\d.]+)", plan)]
    thrown = [float(found) for found in re.findall(r"Rows Removed by Filter: (\d+)", plan)]
    return max(kept + thrown)


def claim_values(queue, place=START):
    return {"queue": queue, "owner": "me", "lease": 60, "from_turn": place[0], "from_id": place[1]}


@pytest.mark.parametrize("limit", [1, 10, 100, 1000])
def test_a_claim_reads_only_what_it_takes(limit):
    plan = claim_plan("q1", limit)
    assert "message_queue_live" in plan
    assert "Seq Scan on message_queue" not in plan
    assert rows_read(plan) <= limit


def test_a_claim_of_an_unlogged_queue_reads_both_tables_by_index():
    Queue.objects.create(name="q1", unlogged=True)
    plan = claim_plan("q1")
    assert "message_queue_unlogged_live" in plan
    assert "Seq Scan on message_queue m" not in re.sub("message_queue_unlogged", "child", plan)
    assert rows_read(plan) <= 20


def test_a_later_claim_begins_where_the_last_one_ended():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM message_queue WHERE queue = 'q1' AND phase = 'live' ORDER BY id OFFSET %s",
            [BACKLOG // 5],
        )
        place = (0, cursor.fetchone()[0])
    plan = claim_plan("q1", 10, place)
    assert re.search(r"Index Cond:.*>= ROW\(", plan)
    assert rows_read(plan) <= 10


def test_a_claim_of_groups_reads_their_heads_not_who_waits():
    plan = claim_plan("grouped", 100)
    assert "message_queue_group" in plan
    assert rows_read(plan) <= 100


def test_the_stager_reads_only_what_has_come_due():
    plan = explained(sql("messages.stage"), {"limit": 1000})
    assert "message_queue_later" in plan
    assert "Seq Scan on message_queue" not in re.sub("message_queue_unlogged", "child", plan)
    assert rows_read(plan) <= 1


def test_a_claim_that_finds_nothing_looks_at_the_delayed_ones_of_its_queue_only():
    execute(
        "UPDATE message_queue SET next_retry_at = now() - interval '1 s'"
        " WHERE id IN (SELECT id FROM message_queue WHERE queue = 'q2' AND phase = 'scheduled'"
        " LIMIT 5000)"
    )
    plan = explained_inside("SELECT queue_stage('q1')", {})
    assert "message_queue_queue_later" in plan
    assert rows_read(plan) <= 1


def test_the_next_due_moment_is_one_look():
    plan = explained(sql("messages.next_due"), {})
    assert rows_read(plan) <= 2


def test_looking_for_lost_messages_reads_what_is_revived_by_index():
    execute(
        "UPDATE dlq_events SET status = 'REVIVED', revive_count = revive_count + 1,"
        " revived_at = now() - interval '1 hour' WHERE id % 100 = 0"
    )
    plan = explained(lost.query("lost.look"), {"place": "-infinity", "id": 0, "limit": 1000})
    assert "dlq_events_status_newest" in plan
    assert "message_queue_one_per_revival" in plan
    assert "Seq Scan on dlq_events" not in plan
    assert rows_read(plan) <= 1000


@pytest.mark.parametrize("count", [1, 100, 1000])
def test_completing_finds_its_rows_by_key(count):
    values = {"ids": list(range(1, count + 1)), "token": uuid4(), "archive": False}
    plan = explained_inside(sql("messages.remove"), values)
    assert "message_queue_pkey" in plan
    assert "Seq Scan on message_queue" not in plan


def rows_touched():
    """The rows that this transaction has read so far, also within functions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('message_queue', 'message_queue_unlogged', 'dlq_events')"
        )
        return cursor.fetchone()[0]


@pytest.mark.parametrize("queue", ["grouped", "held"])
def test_the_next_of_a_group_is_found_by_its_key_and_so_is_the_dead_letter_that_holds_it(queue):
    before = rows_touched()
    with connection.cursor() as cursor:
        cursor.execute("SELECT message_queue_call_next(%s, %s)", [[queue], ["g1"]])
        assert cursor.fetchone() == (0,)
    assert rows_touched() - before <= 10


def test_sending_to_a_group_that_a_dead_letter_holds_reads_that_one():
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM message_queue WHERE queue = 'held' AND group_key = 'g1'")
        before = rows_touched()
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, group_key) VALUES ('held', '{}', 'g1') RETURNING id"
        )
        cursor.execute("SELECT status FROM message_queue WHERE id = %s", [cursor.fetchone()[0]])
        assert cursor.fetchone() == ("waiting",)
    assert rows_touched() - before <= 20


def test_what_waits_for_dead_letters_is_counted_by_index():
    plan = explained(engine_sql("queue_metrics.behind_dead_letters"), {"names": ["held", "q1"], "look": 1000})
    assert "dlq_events_ahead" in plan
    assert "Seq Scan on message_queue" not in re.sub("message_queue_unlogged", "child", plan)
    assert "Seq Scan on dlq_events" not in plan
    assert rows_read(plan) <= 5_000


def test_what_waits_for_one_dead_letter_is_found_by_its_group():
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(id) FROM dlq_events WHERE queue = 'held'")
        [number] = cursor.fetchone()
    plan = explained(engine_sql("queued_messages.behind_letter"), {"id": number, "look": 1000})
    assert "message_queue_group" in plan
    assert rows_read(plan) <= 1000


def test_forgotten_groups_are_looked_for_from_group_to_group():
    plan = explained_inside("SELECT queue_call_forgotten('grouped')", {})
    assert "Seq Scan on message_queue" not in re.sub("message_queue_unlogged", "child", plan)
    assert rows_read(plan) <= 100


def due(*event_types, room=25, but=()):
    """The values of a claim of so many of each of these types."""
    lanes = [
        {"lane": lane, "event_type": name, "categories": ["DEPENDENCY", "TRANSIENT", "UNKNOWN"], "room": room}
        | {"max_retries": 240, "lease": 20, "first_wait": 60, "longest_wait": 600, "factor": 2, "reason": ""}
        for lane, name in enumerate(event_types)
    ]
    return {"lanes": json.dumps(lanes), "owner": "me", "but": list(but), "most_come_backs": 5, "run": 1}


def test_a_tick_of_the_schedule_reads_only_its_batch():
    plan = explained(claim_statement(), due("type2", "type4", but=[1]))
    assert "dlq_events_due" in plan
    assert "Seq Scan on dlq_events" not in plan
    assert rows_read(plan) <= 100, "of each lane some more are looked at than are taken"


def test_a_tick_passes_over_nothing_that_nobody_handles_or_somebody_paused():
    execute(
        "INSERT INTO dlq_events (event_type, error_reason, error_category, retry_after)"
        " SELECT CASE n %% 2 WHEN 0 THEN 'unheard.of' ELSE 'type2' END, 'Down',"
        " CASE n %% 2 WHEN 0 THEN 'TRANSIENT' ELSE 'PERMANENT' END, now() - interval '1 d'"
        " FROM generate_series(1, %s) n",
        LETTERS,
    )
    assert rows_read(explained(claim_statement(), due("type2"))) <= 50
    assert rows_read(explained(sql("claims.any_due"), due("type2"))) <= 3, "one look for each category"


def test_what_was_put_back_is_in_nobodys_way_and_found_by_its_type():
    execute(
        "INSERT INTO message_queue (queue, payload, status, next_retry_at, unhandled_type)"
        " SELECT 'q1', '{}', 'scheduled', now() + interval '1 min', 'type' || n % 4"
        " FROM generate_series(1, 20000) n"
    )
    plan = claim_plan("q1")
    assert rows_read(plan) <= 10
    values = {"queues": ["q1", "q2"], "event_types": ["type1"], "limit": 100}
    plan = explained(sql("messages.call_handled"), values)
    assert "message_queue_unhandled" in plan
    assert rows_read(plan) <= 100


CLAIMS = {
    "messages": (schema.FOLDER / "queue_take.sql").read_text(),
    "dead letters": claim_statement(),
}


@pytest.mark.parametrize("text", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_never_takes_the_shape_that_may_claim_too_much(text):
    """IN (SELECT … LIMIT … SKIP LOCKED) may be planned as a nested loop and claim far more than the limit.

    What is due is found once: in a materialized part, or in a statement of its own.
    """
    statement = re.sub("--.*", "", text)
    assert "MATERIALIZED" in statement or "INTO due" in statement
    assert not re.search(r"\bIN \(\s*SELECT", statement)


def hot_updates(cursor):
    cursor.execute("SELECT pg_stat_get_xact_tuples_hot_updated('message_queue'::regclass)")
    return cursor.fetchone()[0]


def test_claiming_and_extending_touch_no_index():
    """HOT updates: what they leave behind is cleared away with the page, and claims stay quick."""
    with connection.cursor() as cursor:
        # no other test was here and left its dead rows
        cursor.execute(
            "SELECT id FROM message_queue WHERE queue = 'q2' ORDER BY id OFFSET %s LIMIT 1", [BACKLOG // 5]
        )
        place = (0, cursor.fetchone()[0])
        before = hot_updates(cursor)
        cursor.execute(sql("messages.take"), claim_values("q2", place) | {"limit": 100})
        assert hot_updates(cursor) - before >= 90, "a full page is left now and then"
        cursor.execute("SELECT id, lease_token FROM message_queue WHERE owner = 'me' ORDER BY id LIMIT 10")
        ids, tokens = zip(*cursor.fetchall(), strict=True)
        cursor.execute(sql("messages.extend"), {"ids": list(ids), "tokens": list(tokens), "lease": 60})
        assert hot_updates(cursor) - before > 100, "within one transaction the pages fill up"
