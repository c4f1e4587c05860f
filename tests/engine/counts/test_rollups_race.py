"""Many writers, a folder, and a reader: at every moment the counts are what one snapshot holds."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import connection
from psycopg.errors import AdminShutdown

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.database import sessions
from tests.plain_sql import row

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS, STATEMENTS = 6, 60
GROUPS = ("Refused: no", "Timeout: 3 s", "Missing: plane", "Full: disk")
STATUSES = ("PENDING", "EXHAUSTED", "REVIVED", "SUCCEEDED", "DISCARDED", "QUARANTINED")
ADD = (
    "INSERT INTO dlq_events (event_type, error_reason, queue, source, source_key, created_at)"
    " SELECT 't' || n %% 2, %s, CASE WHEN n %% 3 = 0 THEN 'q' END, 's', %s || n, now() - n * interval '9 min'"
    " FROM generate_series(1, %s) n"
)
# their own rows, which no other writer picks: two who want the same rows may well wait for each other
AGAIN = ADD.replace("'s'", "'again'") + (
    " ON CONFLICT (source, source_key) DO UPDATE"
    " SET occurrences = dlq_events.occurrences + 1, last_failure_at = clock_timestamp()"
)
PICKED = (
    "(SELECT id FROM dlq_events WHERE id %% %s = 0 AND source <> 'again' ORDER BY id LIMIT 20"
    " FOR UPDATE SKIP LOCKED)"
)

REVIVE = "UPDATE dlq_events SET status = 'REVIVED', revive_count = revive_count + 1, operation_id = {}"
MOVE = (
    f"UPDATE dlq_events SET status = %s, revive_count = revive_count + 1 WHERE id IN {PICKED}"
    " AND (status, %s) IN (SELECT from_status, to_status FROM dead_letter_transitions)"
)


def write(session, draw, name):
    """One statement of any kind."""
    kind = draw.choice(["add", "add", "again", "copy", "move", "move", "reason", "delete"])
    reason, share = draw.choice(GROUPS), draw.randint(2, 9)
    if kind == "add":
        session.execute(ADD, [reason, f"{name}/{draw.random()}/", draw.randint(1, 12)])
    elif kind == "again":
        session.execute(AGAIN, [reason, f"{name}/", draw.randint(1, 5)])
    elif kind == "copy":
        with session.cursor().copy("COPY dlq_events (event_type, error_reason, status) FROM STDIN") as copy:
            for _ in range(draw.randint(0, 30)):
                copy.write_row(("t0", reason, draw.choice(STATUSES)))
    elif kind == "move":
        target = draw.choice(STATUSES)
        session.execute(MOVE, [target, share, target])
    elif kind == "reason":
        session.execute(f"UPDATE dlq_events SET error_reason = %s WHERE id IN {PICKED}", [reason, share])
    else:
        session.execute(f"DELETE FROM dlq_events WHERE id IN {PICKED}", [share])


def work(seed):
    """Statements alone, in transactions that end well or not, behind savepoints, and sessions that die."""
    draw, name = random.Random(seed), f"w{seed}"
    for _ in range(STATEMENTS // 6):
        with suppress(AdminShutdown), sessions.own_connection() as session:
            end = draw.choice(["commit", "commit", "alone", "rollback", "savepoint", "killed"])
            if end == "alone":
                for _ in range(6):
                    write(session, draw, name)
                continue
            with session.transaction(force_rollback=end == "rollback"):
                for number in range(6):
                    with session.transaction(force_rollback=end == "savepoint" and number % 2 == 0):
                        write(session, draw, name)
                    time.sleep(draw.choice([0, 0, 0.003]))
                if end == "killed":
                    session.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_counts_are_true_in_every_snapshot_whoever_writes_and_folds():
    writing, wrong, folded = threading.Event(), [], []

    def fold(seed):
        try:
            while writing.is_set():
                folded.append(rollups.fold(random.Random(seed + len(folded)).choice([1, 7, 500])))
        finally:
            connection.close()

    def look():
        try:
            while writing.is_set():
                wrong.extend(rollups.check())
        finally:
            connection.close()

    writing.set()
    with ThreadPoolExecutor(WRITERS + 3) as pool:
        readers = [pool.submit(fold, 1), pool.submit(fold, 2), pool.submit(look)]
        writers = [pool.submit(work, seed) for seed in range(WRITERS)]
        try:
            for done in writers:
                done.result(60)
        finally:
            writing.clear()
        for done in readers:
            done.result(60)
    assert wrong == []
    assert sum(folded) > 100
    while rollups.fold():
        pass
    assert rollups.check() == []
    total, in_counts, in_hours, waiting = row(
        "SELECT count(*), (SELECT sum(letters) FROM dead_letter_counts),"
        " (SELECT sum(letters) FROM dead_letter_hours), (SELECT count(*) FROM dead_letter_deltas)"
        " FROM dlq_events"
    )
    assert total == in_counts == in_hours > 100
    assert waiting == 0


def test_a_kept_plan_of_the_trigger_suits_many_rows():
    """Planned for one row, run for five thousand: paired one by one this would take minutes."""
    with sessions.own_connection() as session:
        for number in range(8):
            session.execute(ADD, ["Refused: no", f"few{number}/", 1])
            session.execute(REVIVE.format(7))
            session.execute("UPDATE dlq_events SET status = 'PENDING', occurrences = occurrences + 1")
        session.execute("UPDATE failure_groups SET state = 'resolved', state_changed_at = now()")
        session.execute(ADD, ["Refused: no", "many/", 5_000])
        session.execute("SET statement_timeout = '8s'")
        session.execute(REVIVE.format(8))
        session.execute("UPDATE failure_groups SET state = 'resolved'")
        session.execute("UPDATE dlq_events SET status = 'SUCCEEDED', occurrences = occurrences + 1")
    assert rollups.revival_outcome(8) == (5_008, 0)
    assert rollups.check() == []
