"""Topics: a message goes to each queue that its routing key reaches, to all or to none."""

import pytest
from psycopg.errors import CheckViolation, InsufficientPrivilege

# pattern, the keys that it reaches, and those that it does not
PATTERNS = [
    ("order.created", ["order.created"], ["order", "order.created.eu", "orderxcreated", "Order.created"]),
    ("order.*", ["order.created"], ["order", "order.created.eu", "orders.created"]),
    ("*.created", ["order.created"], ["created", "eu.order.created"]),
    ("order.#", ["order", "order.created", "order.created.eu"], ["orders", "orders.created"]),
    ("#.created", ["created", "order.created", "eu.order.created"], ["recreated", "order.created.eu"]),
    ("a.#.b", ["a.b", "a.x.b", "a.x.y.b"], ["a", "ab", "a.xb"]),
    ("a.*.#", ["a.b", "a.b.c"], ["a"]),
    ("#", ["order", "order.created"], []),
    ("a_b-c.*", ["a_b-c.d"], ["aXb-c.d"]),
]


@pytest.fixture
def bound(owner):
    owner.bind_topic("order.*", "orders")
    owner.bind_topic("#", "orders")
    owner.bind_topic("#.mailed", "mails")


@pytest.mark.parametrize(("pattern", "reached", "others"), PATTERNS)
def test_which_keys_a_pattern_reaches(world, pattern, reached, others):
    matches = "SELECT topic_matches(%s, %s)"
    assert [world.value(matches, pattern, key) for key in reached + others] == (
        [True] * len(reached) + [False] * len(others)
    )


@pytest.mark.parametrize("pattern", ["", ".", "a.", ".a", "a..b", "a.b*", "**", "a b", "a.##", "é"])
def test_what_is_no_pattern_is_refused_with_the_rule(owner, pattern):
    with pytest.raises(CheckViolation, match="dots between them"):
        owner.bind_topic(pattern, "orders")


def test_each_queue_gets_it_once(ann, bound):
    assert ann.send_topic("order.mailed", {"n": 1}) == 2
    assert [message.message for message in ann.read_batch("orders", batch_size=9)] == [{"n": 1}]
    assert ann.read("mails").message == {"n": 1}


def test_a_batch_says_where_each_message_is(ann, bound):
    sent = ann.send_batch_topic("a.mailed", [{"n": 1}, {"n": 2}], headers=[{"h": 1}, {"h": 2}], delay=0)
    assert [result.queue_name for result in sent] == ["mails", "orders"] * 2
    messages = ann.read_batch("mails", batch_size=9)
    assert [message.msg_id for message in messages] == [sent[0].msg_id, sent[2].msg_id]
    assert [message.headers for message in messages] == [{"h": 1}, {"h": 2}]


def test_a_key_that_reaches_no_queue_sends_nothing(ann):
    assert ann.send_topic("order.created", {"n": 1}) == 0


def test_what_is_no_more_bound_gets_nothing(ann, owner, bound):
    assert owner.unbind_topic("#.mailed", "mails") is True
    assert owner.unbind_topic("#.mailed", "mails") is False
    assert ann.send_topic("a.mailed", {"n": 1}) == 1


def test_the_bindings_and_those_of_a_key(ann, bound):
    assert [(each.pattern, each.queue_name) for each in ann.list_topic_bindings()] == [
        ("#", "orders"),
        ("#.mailed", "mails"),
        ("order.*", "orders"),
    ]
    assert [each.pattern for each in ann.list_topic_bindings("mails")] == ["#.mailed"]
    assert [each.pattern for each in ann.test_routing("order.paid")] == ["#", "order.*"]


def test_who_may_not_send_to_each_of_them_sends_to_none(ann, owner, bound):
    owner.bind_topic("order.*", "returns")
    with pytest.raises(InsufficientPrivilege, match="'returns'"):
        ann.send_topic("order.created", {"n": 1})
    assert ann.read("orders") is None


def test_only_whom_the_owner_lets_binds(ann):
    for action in (ann.bind_topic, ann.unbind_topic):
        with pytest.raises(InsufficientPrivilege):
            action("#", "orders")
