"""A record that PostgreSQL will not store is its message's failure: it holds up nobody, and not for ever."""

import random

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import DeadLetter, EnrichedEvent, Message
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

# characters drawn by lot do not compress: no index row holds them
LONG = "".join(map(chr, random.Random(4).choices(range(0x4E00, 0x9FFF), k=5_000)))


@pytest.fixture
def own_index():
    """An index that an installation made for its own questions."""
    execute("CREATE INDEX of_a_test ON enriched_events ((record ->> 'order_id'))")
    yield
    execute("DROP INDEX of_a_test")


@pytest.mark.parametrize("transactional", [False, True])
def test_a_record_beyond_a_limit_of_postgresql_is_buried_and_the_others_are_done(
    own_index, send, transactional
):
    for order_id in (1, LONG, 2):
        send(order_id=order_id)
    Consumer(["order.created"], transactional=transactional).run(until_empty=True)
    assert not Message.objects.exists()
    assert EnrichedEvent.objects.count() == 2
    letter = DeadLetter.objects.get()
    assert letter.error_reason.startswith("UnusableRecord: the database did not store it: index row")
    assert (letter.status, letter.error_category) == ("PENDING", "PERMANENT")


def test_a_handler_that_goes_on_after_its_transaction_broke_has_failed(send):
    send(order_id=1, do="swallow")
    send(order_id=2)
    Consumer(["order.created"], transactional=True).run(until_empty=True)
    assert not Message.objects.exists()
    assert EnrichedEvent.objects.count() == 1
    assert "current transaction is aborted" in DeadLetter.objects.get().error_reason


@pytest.mark.parametrize(
    ("do", "sentence"), [("close", "closed the connection"), ("begin", "left a transaction open")]
)
def test_a_handler_that_breaks_the_transaction_it_shares_fails_alone(send, do, sentence):
    send(order_id=1, do=do)
    send(order_id=2)
    counts = Consumer(["order.created"], batch=1, transactional=True).run(until_empty=True)
    assert counts == {"dead-lettered": 1, "completed": 1}
    letter = DeadLetter.objects.get()
    assert (letter.error_class, letter.error_category) == ("TransactionBroken", "PERMANENT")
    assert sentence in letter.error_reason
    assert not Message.objects.exists()
    assert EnrichedEvent.objects.get().record["order_id"] == 2
