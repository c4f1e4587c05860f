"""When a message is visible again: of what one has read, and of what nobody holds."""

from datetime import timedelta

import pytest


@pytest.fixture
def in_an_hour(world):
    return world.value("SELECT clock_timestamp()") + timedelta(hours=1)


@pytest.fixture(params=["seconds", "a moment"])
def vt(request, in_an_hour):
    return 3600 if request.param == "seconds" else in_an_hour


def is_about(moment, expected):
    return abs(moment - expected) < timedelta(minutes=1)


@pytest.mark.parametrize("has_read", [True, False])
def test_it_is_visible_then(ann, vt, in_an_hour, has_read):
    number = ann.send("orders", {"n": 1})
    if has_read:
        ann.read("orders")
    message = ann.set_vt("orders", number, vt)
    assert (message.msg_id, message.message, is_about(message.vt, in_an_hour)) == (number, {"n": 1}, True)
    assert ann.read("orders") is None


def test_of_a_batch_each_that_may_be_changed(ann, bob, vt, in_an_hour):
    his, hers, free = ann.send_batch("orders", [{"n": 1}, {"n": 2}, {"n": 3}])
    bob.read("orders")
    ann.read("orders")
    messages = ann.set_vt("orders", [free, his, hers], vt)
    assert sorted(message.msg_id for message in messages) == [hers, free]
    assert all(is_about(message.vt, in_an_hour) for message in messages)


def test_what_was_not_begun_is_given_back_and_no_attempt_is_counted(ann, bob):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    ann.set_vt("orders", number, 0)
    message = bob.read("orders")
    assert (message.msg_id, message.read_ct) == (number, 1)


def test_what_another_one_has_read_stays_his(ann, bob):
    number = ann.send("orders", {"n": 1})
    bob.read("orders", vt=60)
    assert ann.set_vt("orders", number, 0) is None
    assert ann.read("orders") is None
