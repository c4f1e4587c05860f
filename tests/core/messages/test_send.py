"""Sending: what a producer may ask for, alone or by the thousand, and what is refused."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine.models import Message
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db


def ids(claims):
    return [claim.id for claim in claims]


def test_headers_and_payload_arrive_as_they_were_sent():
    messages.send("q", '{"n": 12345678901234567890.5, "é": "\\u00e9"}', {"trace": "t1", "tenant": "blue"})
    [claim] = messages.claim("q", 1, "me", 60)
    assert claim.headers == {"trace": "t1", "tenant": "blue"}
    assert "12345678901234567890.5" in claim.payload


def test_a_delay_in_seconds_hides_a_message_until_then():
    messages.send("q", "{}", delay=3600)
    message = Message.objects.get()
    assert message.status == "scheduled"
    assert 3590 < (message.next_retry_at - message.created_at).total_seconds() < 3610
    assert messages.claim("q", 1, "me", 60) == []
    assert 3500 < messages.seconds_until_due() <= 3600


def test_a_moment_does_too_and_a_past_one_is_now():
    messages.send("q", '"later"', delay=datetime.now(UTC) + timedelta(days=1))
    messages.send("q", '"now"', delay=datetime(2020, 1, 1, tzinfo=UTC))
    assert [claim.payload for claim in messages.claim("q", 5, "me", 60)] == ['"now"']


def test_a_plain_insert_for_later_is_scheduled_too():
    execute("INSERT INTO message_queue (queue, payload, next_retry_at) VALUES ('q', '1', now() + '1h')")
    assert Message.objects.get().status == "scheduled"


def test_the_higher_priority_comes_first():
    low = messages.send("q", "1", priority=-5)
    middle = messages.send("q", "2")
    high = messages.send("q", "3", priority=32_767)
    assert ids(messages.claim("q", 5, "me", 60)) == [high, middle, low]


def test_a_dedupe_key_is_sent_once_while_its_message_lives():
    assert messages.send("q", "1", dedupe_key="order-7")
    assert messages.send("q", "2", dedupe_key="order-7") is None
    assert messages.send("other", "2", dedupe_key="order-7")
    messages.complete(messages.claim("q", 1, "me", 60))
    assert messages.send("q", "3", dedupe_key="order-7")


def test_sending_is_part_of_the_producers_own_transaction():
    with transaction.atomic():
        messages.send("q", "{}")
        messages.send_many("q", [NewMessage("{}")] * 200)
        assert Message.objects.count() == 201
        transaction.set_rollback(True)
    assert not Message.objects.exists()


@pytest.mark.parametrize("count", [3, 200, 2_500])
def test_many_messages_keep_their_order_and_options(count):
    sent = messages.send_many(
        "q",
        [
            NewMessage(str(n), {"n": n}, delay=60 if n == 1 else 0, priority=9 if n == 2 else 0)
            for n in range(count)
        ],
    )
    assert sent == count
    claims = messages.claim("q", 10, "me", 60)
    assert [claim.payload for claim in claims][:3] == ["2", "0", "3"][: len(claims)]
    assert claims[0].headers == {"n": 2}
    assert Message.objects.filter(status="scheduled").count() == 1


def test_many_messages_with_dedupe_keys_count_what_was_new():
    messages.send("q", "0", dedupe_key="k0")
    assert messages.send_many("q", [NewMessage("1", dedupe_key=f"k{n % 100}") for n in range(1_500)]) == 99


@pytest.mark.parametrize(
    ("payload", "options", "sentence"),
    [
        ("{not json", {}, "The payload cannot be sent"),
        ('"' + "x" * 1024 * 1024 + '"', {}, "more than 1,048,576"),
        ("{}", {"delay": -1}, "A delay is 0 seconds to 100 years, not -1 seconds"),
        ("{}", {"delay": float("nan")}, "A delay is 0 seconds to 100 years"),
        ("{}", {"delay": datetime(2030, 1, 1)}, "names no time zone"),
        ("{}", {"priority": 40_000}, "A priority is between -32767 and 32767"),
        ("{}", {"group_key": ""}, "A group key has 1 to 255 characters"),
        ("{}", {"dedupe_key": "a\x00"}, "A dedupe key has 1 to 255 characters and no NUL"),
        ("{}", {"headers": {"a": "\x00"}}, "The headers cannot be stored"),
        ("{}", {"headers": {"a": {1, 2}}}, "The headers cannot be written as JSON"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_one_sentence(payload, options, sentence):
    with pytest.raises(InvalidMessage) as refused:
        messages.send("q", payload, **options)
    assert sentence in str(refused.value)
    assert not Message.objects.exists()


def test_a_batch_names_the_message_that_is_wrong_and_sends_none():
    with pytest.raises(InvalidMessage, match="Message 3: "):
        messages.send_many("q", [NewMessage("1"), NewMessage("2"), NewMessage("{")])
    assert not Message.objects.exists()


def test_one_wrong_message_among_thousands_undoes_them_and_nothing_else():
    with transaction.atomic():
        messages.send("q", '"before"')
        many = [NewMessage(str(n)) for n in range(3_000)]
        with pytest.raises(InvalidMessage, match="Message 2501: "):
            messages.send_many("q", [*many[:2_500], NewMessage("{"), *many[2_500:]])
        messages.send("q", '"after"')
    assert [message.payload for message in Message.objects.order_by("id")] == ["before", "after"]


@pytest.mark.parametrize("name", ["", "x" * 256, "a\x00b"])
def test_a_queue_that_cannot_be_named_is_refused(name):
    with pytest.raises(InvalidMessage, match="A queue cannot be called"):
        messages.send(name, "{}")
