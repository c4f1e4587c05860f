"""Reading: nobody else reads a message before its vt is over; who waits gets the first that comes."""

import threading

WAITS = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND wait_event = 'PgSleep'"
ORDERS = [{"n": 1, "kind": "a"}, {"n": 2, "kind": "b"}]


def test_one_or_many(ann):
    ann.send_batch("orders", ORDERS * 2)
    assert ann.read("orders").message == ORDERS[0]
    assert [message.message["n"] for message in ann.read("orders", qty=9)] == [2, 1, 2]
    assert (ann.read("orders"), ann.read("orders", qty=9), ann.read_batch("orders")) == (None, [], [])


def test_it_is_nobody_elses_before_its_vt_is_over(ann, bob, the_vt_is_over):
    number = ann.send("orders", ORDERS[0])
    ann.read("orders", vt=60)
    assert bob.read("orders") is None
    the_vt_is_over()
    message = bob.read("orders")
    assert (message.msg_id, message.read_ct) == (number, 2)


def test_only_what_holds_the_condition(ann):
    ann.send_batch("orders", ORDERS)
    assert ann.read("orders", conditional={"kind": "b"}).message["n"] == 2
    assert ann.read("orders", conditional={"kind": "b"}) is None


def test_who_waits_gets_what_comes_meanwhile(ann, world):
    got = []
    waiting = threading.Thread(target=lambda: got.extend(ann.read_with_poll("orders", max_poll_seconds=30)))
    waiting.start()
    world.until(lambda: world.value(WAITS, world.roles.prefix + "consumer"))
    [number] = world.send({"n": 7})
    waiting.join(30)
    assert [(message.msg_id, message.enqueued_at is not None) for message in got] == [(number, True)]


def test_of_a_group_the_first_is_read_and_then_the_next(ann):
    grouped = [{"x-pgmq-group": name} for name in ("a", "a", "b")]
    ann.send_batch("orders", [{"n": 1}, {"n": 2}, {"n": 3}], headers=grouped)
    first = ann.read_grouped("orders", qty=9)
    assert [message.message["n"] for message in first] == [1, 3]
    assert ann.read_grouped_rr("orders", qty=9) == []
    ann.delete("orders", first[0].msg_id)
    assert [message.message["n"] for message in ann.read_grouped_with_poll("orders", qty=9)] == [2]


def test_what_is_popped_is_gone(ann, status):
    numbers = ann.send_batch("orders", ORDERS)
    assert ann.pop("orders").message == ORDERS[0]
    assert [message.msg_id for message in ann.pop("orders", qty=5)] == numbers[1:]
    assert (ann.pop("orders"), status(numbers[0])) == (None, None)


def test_a_paused_queue_gives_nothing(ann, world):
    world.policy(paused=True)
    ann.send("orders", ORDERS[0])
    assert ann.read("orders") is None
