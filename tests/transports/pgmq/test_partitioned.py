"""A partitioned PGMQ queue, as pg_partman makes it: served like any other, even if a partition goes."""

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import attachments, relay
from tests.plain_sql import execute, value
from tests.transports.conftest import on_queue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def partitioned(pgmq_queue):
    """A queue in partitions of ten messages, attached."""
    for table in ("q", "a"):
        execute(
            f"CREATE TABLE pgmq.{table}_parted (LIKE pgmq.{table}_{pgmq_queue} INCLUDING DEFAULTS"
            " INCLUDING IDENTITY) PARTITION BY RANGE (msg_id)"
        )
        for number in range(3):
            execute(
                f"CREATE TABLE pgmq.{table}_parted_p{number} PARTITION OF pgmq.{table}_parted"
                f" FOR VALUES FROM ({number * 10}) TO ({number * 10 + 10})"
            )
    execute("INSERT INTO pgmq.meta (queue_name, is_partitioned, is_unlogged) VALUES ('parted', true, false)")
    yield attachments.attach("pgmq:parted", actor="test")
    execute("DROP TABLE pgmq.q_parted, pgmq.a_parted; DELETE FROM pgmq.meta WHERE queue_name = 'parted'")


def send_many(number):
    for _ in range(number):
        execute("SELECT pgmq.send('parted', '{\"order_id\": 1}'::jsonb)")


def read_out():
    for _ in range(6):
        execute("SELECT msg_id FROM pgmq.read('parted', 0, 100)")


def detach(number):
    execute(f"ALTER TABLE pgmq.q_parted DETACH PARTITION pgmq.q_parted_p{number}")


def drop_detached(number):
    execute(f"DROP TABLE pgmq.q_parted_p{number}")


def test_what_was_read_too_often_becomes_a_dead_letter_whatever_its_partition(partitioned):
    send_many(15)
    read_out()
    assert relay.run_once()["dead-lettered"] == 15
    assert on_queue(partitioned) == []
    assert value("SELECT count(*) FROM pgmq.a_parted_p1") == 6


def test_what_stands_in_a_detached_partition_has_left_the_queue(partitioned):
    send_many(15)
    read_out()
    detach(0)
    assert relay.run_once()["dead-lettered"] == 6
    assert value("SELECT count(*) FROM pgmq.q_parted_p0") == 9
    drop_detached(0)


def test_a_revived_message_in_a_detached_partition_counts_as_completed(partitioned):
    send_many(1)
    read_out()
    relay.run_once()
    assert value("SELECT dead_letter_revive(%s)", DeadLetter.objects.get().pk)
    assert relay.run_once()["forwarded"] == 1
    detach(0)
    assert relay.run_once()["left"] == 1
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    drop_detached(0)
