"""Sending: one, many, for later, with headers, in a transaction of the caller."""

from datetime import timedelta

import pytest
from psycopg.errors import InsufficientPrivilege

ORDER = {"order_id": 1}


def test_what_is_sent_is_read(ann):
    number = ann.send("orders", ORDER, headers={"trace": "t1"})
    message = ann.read("orders")
    assert (message.msg_id, message.message, message.headers) == (number, ORDER, {"trace": "t1"})
    assert (message.read_ct, message.enqueued_at < message.vt) == (1, True)


@pytest.mark.parametrize("headers", [None, [{"n": 1}, {"n": 2}, {}]])
def test_a_batch_keeps_its_order_and_each_message_its_headers(ann, headers):
    numbers = ann.send_batch("orders", [{"n": 1}, {"n": 2}, "three"], headers=headers)
    messages = ann.read_batch("orders", batch_size=5)
    assert [message.msg_id for message in messages] == numbers == sorted(numbers)
    assert [message.message for message in messages] == [{"n": 1}, {"n": 2}, "three"]
    assert [message.headers for message in messages] == (headers or [{}, {}, {}])


@pytest.mark.parametrize("headers", [None, {"trace": "t1"}])
def test_what_is_sent_for_later_is_read_later(ann, world, status, headers):
    at = world.value("SELECT clock_timestamp()") + timedelta(hours=1)
    numbers = [ann.send("orders", ORDER, headers, delay=delay) for delay in (3600, at)]
    assert ann.read("orders") is None
    assert list(map(status, numbers)) == ["scheduled", "scheduled"]
    for (due,) in world.sql.execute("SELECT next_retry_at FROM message_queue"):
        assert abs(due - at) < timedelta(minutes=1)


def test_it_is_sent_with_the_callers_transaction_or_not_at_all(ann):
    with ann.pool.connection() as session:
        ann.send("orders", ORDER, conn=session)
        session.rollback()
    assert ann.read("orders") is None
    with ann.pool.connection() as session:
        ann.send("orders", ORDER, conn=session)
    assert ann.read("orders").message == ORDER


def test_who_may_not_send_there_is_refused(ann):
    with pytest.raises(InsufficientPrivilege, match="may not send to the queue 'returns'"):
        ann.send("returns", ORDER)
