"""Where the queues of a RabbitMQ dead-letter to, asked of its management API, and who watches there."""

import pytest

from dlqconsole.transports import attachments, unwatched
from dlqconsole.transports.models import DeadLetterLook
from dlqconsole.transports.rabbitmq.dead_letter_queues import at_the_end
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def another(queues):
    """A queue beside, whose dead letters come to a queue that is not attached."""
    from tests.rabbitmq_server import Queues

    made = Queues(queues.channel)
    yield made
    made.delete()


def looked():
    DeadLetterLook.objects.all().delete()
    assert unwatched.look() == 1
    look = DeadLetterLook.objects.get()
    assert (look.problem, look.looked_at is None) == ("", False)
    return {each.name: each for each in unwatched.unwatched()}


def test_what_is_neither_attached_nor_consumed_is_told_with_its_messages(attached, queues, another):
    another.fail(b"{}", b"{}")
    eventually(lambda: looked()[another.attached].messages == 2)
    places = looked()
    assert places[another.attached].sources == [f"rabbitmq:{another.name}"]
    assert places[another.attached].command == f"manage.py attach {another.attached}"
    assert queues.attached not in places
    attachments.attach(another.attached, actor="test")
    assert another.attached not in {each.name for each in unwatched.unwatched()}


def test_a_queue_with_a_consumer_there_is_watched(attached, another):
    another.channel.basic_consume(another.dead, callback=lambda _message: None)
    eventually(lambda: another.attached not in looked())


def test_an_exchange_that_is_not_there_loses_what_fails(attached, another):
    another.channel.exchange_delete(another.exchange)
    eventually(lambda: "" in looked())
    assert f"rabbitmq:{another.name}" in {each.sources[0] for each in unwatched.unwatched() if not each.name}


def test_a_look_that_fails_says_why_and_keeps_what_was_seen(attached, another, settings, viewer):
    looked()
    settings.DLQ_RABBITMQ_MANAGEMENT_URL = "http://127.0.0.1:1"
    DeadLetterLook.objects.update(tried_at="2020-01-01T00:00Z")
    assert unwatched.look() == 1
    look = DeadLetterLook.objects.get()
    assert look.problem.startswith("RabbitMQ's management API at 127.0.0.1:1 does not answer: ")
    assert another.attached in {each.name for each in unwatched.unwatched()}
    assert "could not look" in viewer.get("/queues/").content.decode()


def test_an_account_without_the_tag_is_told_what_it_needs(attached, rabbit, settings):
    settings.DLQ_RABBITMQ_URL = rabbit.url().replace("console:", "nobody:")
    assert unwatched.look() == 1
    assert "Give it the tag management" in DeadLetterLook.objects.get().problem


def test_each_system_is_looked_at_once_in_ten_minutes(attached):
    assert (unwatched.look(), unwatched.look()) == (1, 0)


def queue(name, exchange=None, key=None, policy=None, **more):
    arguments = {"x-dead-letter-exchange": exchange, "x-dead-letter-routing-key": key}
    there = {name: value for name, value in arguments.items() if value is not None}
    return {"name": name, "arguments": there, "effective_policy_definition": policy or []} | more


def binding(source, destination, key="", kind="queue"):
    return {"source": source, "destination": destination, "destination_type": kind, "routing_key": key}


DEAD = queue("dead", messages=3, consumers=0)
DIRECT, TOPIC = {"name": "dlx", "type": "direct"}, {"name": "dlx", "type": "topic"}
FANOUT = {"name": "dlx", "type": "fanout"}


@pytest.mark.parametrize(
    ("queues", "exchanges", "bindings", "ends"),
    [
        ([queue("a", "", "dead"), DEAD], [], [], {"dead": ("a",)}),
        ([queue("a", "", "gone"), DEAD], [], [], {"": ("a",)}),
        ([queue("a", ""), DEAD], [], [], {}),
        ([queue("a", "dlx", "x"), DEAD], [DIRECT], [binding("dlx", "dead", "x")], {"dead": ("a",)}),
        ([queue("a", "dlx", "y"), DEAD], [DIRECT], [binding("dlx", "dead", "x")], {"": ("a",)}),
        ([queue("a", "dlx"), DEAD], [DIRECT], [binding("dlx", "dead", "x")], {"dead": ("a",)}),
        ([queue("a", "dlx", "a.b.c"), DEAD], [TOPIC], [binding("dlx", "dead", "a.#")], {"dead": ("a",)}),
        ([queue("a", "dlx", "a"), DEAD], [TOPIC], [binding("dlx", "dead", "a.#")], {"dead": ("a",)}),
        ([queue("a", "dlx", "a.b.c"), DEAD], [TOPIC], [binding("dlx", "dead", "*.c")], {"": ("a",)}),
        ([queue("a", "dlx", "b.c"), DEAD], [TOPIC], [binding("dlx", "dead", "#.c")], {"dead": ("a",)}),
        (
            [queue("a", policy={"dead-letter-exchange": "dlx"}), DEAD],
            [FANOUT],
            [binding("dlx", "dead")],
            {"dead": ("a",)},
        ),
        (
            [queue("a", "dlx"), DEAD],
            [FANOUT, {"name": "next", "type": "fanout"}],
            [binding("dlx", "next", kind="exchange"), binding("next", "dead")],
            {"dead": ("a",)},
        ),
        # a retry: it waits on b, and comes back
        ([queue("a", "dlx"), queue("b", "", "a")], [FANOUT], [binding("dlx", "b")], {}),
        # a policy for all queues, the dead-letter queue as well
        ([queue("a", "dlx"), queue("dead", "dlx")], [FANOUT], [binding("dlx", "dead")], {"dead": ("a",)}),
        ([queue("a", "dlx")], [{"name": "dlx", "type": "fanout", "policy": "alternate"}], [], {}),
        ([queue("a", "dlx")], [{"name": "dlx", "type": "x-delayed-message"}], [], {}),
    ],
)
def test_dead_letters_are_followed_to_where_they_stay(queues, exchanges, bindings, ends):
    found = at_the_end(queues, exchanges, bindings)
    assert {each.queue: each.sources for each in found} == ends
