"""Plans that were made while the queue was empty serve when it is full, before anybody has analysed it."""

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine.models import Message
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db(transaction=True)

BACKLOG = 30_000


def rows_read_one_after_the_other():
    execute("SELECT pg_stat_force_next_flush()")
    return value("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'message_queue'")


def work_off(reader, count, limit=3):
    for _ in range(count):
        messages.complete(reader.claim(limit, 60))


@pytest.fixture
def small_table():
    """A few messages, seen by the planner: a page that it would rather read whole."""
    messages.send_many("q", [NewMessage(str(n), group_key=f"g{n}" if n % 2 else None) for n in range(40)])
    execute("VACUUM ANALYZE message_queue")
    yield
    execute("TRUNCATE message_queue")


def test_a_consumer_that_began_with_little_goes_by_index_ever_after(small_table):
    reader = messages.QueueReader("q", "me")
    work_off(reader, 8)
    execute("ALTER TABLE message_queue SET (autovacuum_enabled = off)")
    execute("INSERT INTO message_queue (queue, payload) SELECT 'q', '1' FROM generate_series(1, %s)", BACKLOG)
    before = rows_read_one_after_the_other()
    work_off(reader, 8)
    assert rows_read_one_after_the_other() - before < BACKLOG
    execute("ALTER TABLE message_queue RESET (autovacuum_enabled)")


def test_a_producer_of_groups_that_began_with_little_goes_by_index_ever_after(small_table):
    for n in range(8):
        messages.send("q", str(n), group_key="k")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message_queue (queue, payload) SELECT 'q', '1' FROM generate_series(1, %s)",
            [BACKLOG],
        )
        before = rows_read_one_after_the_other()
        cursor.execute(
            "INSERT INTO message_queue (queue, payload, group_key, next_retry_at)"
            " SELECT 'q', '1', 'k' || n %% 20, now() + n %% 2 * interval '1 hour'"
            " FROM generate_series(1, 2000) n",
            [],
        )
    assert rows_read_one_after_the_other() - before < BACKLOG
    assert Message.objects.filter(status="waiting").count() >= 1900
