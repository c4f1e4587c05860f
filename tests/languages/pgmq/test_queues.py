"""Queues: made, listed, counted, purged and dropped."""

import pytest
from psycopg.errors import CheckViolation, InsufficientPrivilege, ObjectInUse

AUDITED = "SELECT action, target FROM audit_log WHERE id > %s ORDER BY id"


@pytest.fixture
def audited(world):
    newest = world.value("SELECT coalesce(max(id), 0) FROM audit_log")
    return lambda: [tuple(row.values()) for row in world.rows(AUDITED, newest)]


def test_a_queue_is_made_once_and_stays_as_it_is(ann, audited):
    ann.create_queue("orders", unlogged=True)
    ann.create_queue("orders")
    [queue] = ann.list_queues()
    assert (queue.queue_name, queue.is_unlogged, queue.is_partitioned) == ("orders", True, False)
    assert audited() == [("create", "queue:orders")]


def test_a_partitioned_one_is_a_queue_like_any_other(ann):
    ann.create_partitioned_queue("orders", 1000, 10000)
    ann.send("orders", {"n": 1})
    assert ann.read("orders").message == {"n": 1}


@pytest.mark.parametrize("name", ["", "a" * 256, "pgmq:orders"])
def test_a_name_that_no_queue_has_is_refused_with_the_rule(ann, name):
    with pytest.raises(CheckViolation, match="1 to 255 characters"):
        ann.create_queue(name)


def test_figures(ann, owner):
    owner.create_queue("orders")
    numbers = ann.send_batch("orders", [{"n": 1}] * 4)
    ann.send("orders", {"n": 5}, delay=60)
    ann.read("orders", qty=2)
    ann.delete("orders", numbers[0])
    figures = ann.metrics("orders")
    assert (figures.queue_length, figures.queue_visible_length, figures.total_messages) == (4, 2, 5)
    assert (figures.oldest_msg_age_sec, figures.newest_msg_age_sec, figures.scrape_time is None) == (
        0,
        0,
        False,
    )
    assert [each.queue_name for each in ann.metrics_all()] == ["orders"]
    nowhere = ann.metrics("nowhere")
    assert (nowhere.queue_length, nowhere.total_messages, nowhere.newest_msg_age_sec) == (0, 0, None)


def test_a_purge_leaves_what_somebody_holds(ann, owner, status):
    held, free = ann.send_batch("orders", [{"n": 1}, {"n": 2}])
    ann.read("orders")
    assert owner.purge("orders") == 1
    assert (status(held), status(free)) == ("processing", None)


def test_a_dropped_queue_is_gone_with_its_messages_and_topics(ann, owner, audited):
    owner.create_queue("orders")
    owner.bind_topic("order.*", "orders")
    ann.send("orders", {"n": 1})
    assert owner.drop_queue("orders") is True
    assert (owner.list_queues(), owner.list_topic_bindings(), ann.read("orders")) == ([], [], None)
    assert owner.drop_queue("orders") is False
    assert [row[0] for row in audited()] == ["create", "bind", "purge", "drop", "purge"]


def test_by_plain_sql_it_is_not_dropped_under_a_consumer_unless_that_is_said(ann, owner, status, world):
    owner.create_queue("orders")
    held, free = ann.send_batch("orders", [{"n": 1}, {"n": 2}])
    ann.read("orders")
    with pytest.raises(ObjectInUse, match=r"was not dropped.* force => true"):
        world.sql.execute("SELECT queue_drop('orders', 'no more')")
    assert (status(held), status(free)) == ("processing", "pending")
    assert owner.drop_queue("orders") is True
    assert (status(held), ann.delete("orders", held)) == (None, False)


def test_what_was_revived_and_is_dropped_with_its_queue_returns(ann, owner, world):
    failed = (
        "SELECT dead_letter_report('order.created', '1', 'Timeout: x', source_key => '1', queue => 'orders')"
    )
    letter = world.value(failed)
    assert world.value("SELECT dead_letter_revive(%s)", letter)
    owner.create_queue("orders")
    assert ann.read("orders").message == 1
    owner.drop_queue("orders")
    assert world.value("SELECT status FROM dlq_events WHERE id = %s", letter) == "PENDING"


@pytest.mark.parametrize("action", ["purge", "drop_queue"])
def test_only_whom_the_owner_lets_purges_and_drops(ann, action):
    with pytest.raises(InsufficientPrivilege):
        getattr(ann, action)("orders")
