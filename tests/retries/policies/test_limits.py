"""Waits and retries of whoever writes a failure: consumers, attached queues and the schedule ask policies."""

import orjson
import pytest

from dlqconsole.consuming import settlement
from dlqconsole.core import messages
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter, Queue
from dlqconsole.processing.outcomes import Failed
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.transports import dead_letters as of_transports
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource

pytestmark = pytest.mark.django_db

SIX_HOURS = 21_600


def policy(seconds: float, **whose) -> None:
    RetryPolicy.objects.create(backoff="fixed", backoff_base_seconds=seconds, **whose)
    policies.forget()


def bury(do: str = "dependency") -> DeadLetter:
    """What a consumer makes of a message that has no retries on its queue."""
    Queue.objects.update_or_create(name="order.created", defaults={"max_retries": 0})
    messages.send("order.created", orjson.dumps({"do": do}))
    source = NativeSource()
    [message] = source.claim("order.created", 1, "me", 60)
    settlement.settle(source, message, handle_message(message, None), QueuePolicy())
    return DeadLetter.objects.latest("pk")


def waits(letter: DeadLetter) -> float:
    return round((letter.retry_after - letter.last_failure_at).total_seconds())


def test_a_consumer_s_dead_letter_waits_as_its_policy_says():
    policy(SIX_HOURS, event_type="order.created")
    assert waits(bury()) == SIX_HOURS


def test_a_group_s_policy_counts_for_what_joins_the_group():
    group = bury().group_id
    policy(100, event_type="order.created")
    policy(300, group_id=group)
    assert (waits(bury()), waits(bury("transient"))) == (300, 100)


def test_nothing_is_asked_where_no_policy_is_of_a_group(django_assert_num_queries):
    policy(100, event_type="bill")
    policy(200, event_type="order.created")
    failed = Failed.from_error(ConnectionError("away"))
    retry_limits.limits_for_failure("bill", failed)
    with django_assert_num_queries(0):
        found = retry_limits.limits_for_failure("order.created", failed)
    assert found.backoff.seconds(9) == 200


def test_an_attached_queue_s_dead_letters_wait_each_as_its_policy_says():
    policy(100, event_type="order.created")
    RetryPolicy.objects.create(event_type="bill", max_retries=3)
    policies.forget()
    failed = Failed.from_error(ConnectionError("away"))
    burials = [
        of_transports.NewDeadLetter(
            message_id=str(number),
            payload="{}",
            payload_raw=None,
            headers="{}",
            identity=Identity(event_type, "there", str(number), None),
            failure=failed,
            status=DeadLetterStatus.PENDING,
        )
        for number, event_type in enumerate(["order.created", "bill"])
    ]
    ids = of_transports.keep("pgmq:there", burials)
    assert waits(DeadLetter.objects.get(pk=ids["0"])) == 100
    assert waits(DeadLetter.objects.get(pk=ids["1"])) <= 60
