"""The category that a failure rule gives decides, on every kind of queue and in the schedule."""

import pytest
from django.utils import timezone

from dlqconsole.consuming import consumer, settlement
from dlqconsole.core.lifecycle import failures
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Attempt, DeadLetter, FailureRule, Message
from dlqconsole.retries import run as schedule
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource
from tests.core.lifecycle.test_failure import set_policy
from tests.transports.forty_lines import FortySource, empty_memory  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_memory")]


def rule(error_class, category, **columns):
    values = {"name": "a test", "overrides": True, "position": 1} | columns
    FailureRule.objects.create(error_class=error_class, category=category, **values)


def consume(source, queue="order.created"):
    [message] = source.claim(queue, 1, "me", 60)
    return settlement.settle(source, message, handle_message(message, None), QueuePolicy())


@pytest.mark.parametrize("source", [NativeSource(), FortySource()], ids=["native", "another system"])
def test_what_a_rule_calls_permanent_is_buried_at_once(source):
    rule("BillingAway", "PERMANENT")
    source.send("order.created", b'{"do": "dependency"}')
    assert consume(source) == ClaimResult.DEAD
    letter = DeadLetter.objects.get()
    assert (letter.error_category, letter.said_category) == ("PERMANENT", "DEPENDENCY")
    assert Attempt.objects.get().error_category == "DEPENDENCY"


@pytest.mark.parametrize("source", [NativeSource(), FortySource()], ids=["native", "another system"])
def test_what_a_rule_lets_heal_is_tried_again_on_its_queue(source):
    rule("PlaneUnknown", "TRANSIENT")
    source.send("order.created", b'{"do": "business"}')
    assert consume(source) == ClaimResult.LATER
    assert not DeadLetter.objects.exists()
    assert Attempt.objects.get().error_category == "BUSINESS"


def test_a_rule_that_is_off_or_says_no_category_decides_nothing(send):
    rule("BillingAway", "PERMANENT", enabled=False)
    rule("BillingAway", "", fingerprint="{class}")
    send(do="dependency")
    assert consume(NativeSource()) == ClaimResult.LATER


def test_a_dead_letter_that_a_rule_lets_heal_is_not_due_at_once(send, settings):
    settings.DLQ_RETRY_BACKOFF_BASE = settings.DLQ_RETRY_BACKOFF_CAP = 1e6
    rule("PlaneUnknown", "TRANSIENT")
    send(do="business")
    source = NativeSource()
    [message] = source.claim("order.created", 1, "me", 60)
    set_policy(QueuePolicy(max_retries=0))
    settlement.settle(source, message, handle_message(message, None), QueuePolicy())
    assert DeadLetter.objects.get(error_category="TRANSIENT").retry_after > timezone.now()


def test_the_schedule_goes_by_the_rule_too(letter, settings):
    settings.DLQ_RETRY_BACKOFF_BASE = settings.DLQ_RETRY_BACKOFF_CAP = 1e6
    rule("PlaneUnknown", "TRANSIENT")
    rule("BillingAway", "PERMANENT")
    heals, waits = (letter(payload={"do": do}) for do in ("business", "dependency"))
    schedule.run()
    heals, waits = DeadLetter.objects.get(pk=heals), DeadLetter.objects.get(pk=waits)
    assert (heals.error_category, waits.error_category) == ("TRANSIENT", "PERMANENT")
    assert heals.retry_after > timezone.now()


@pytest.mark.parametrize(("category", "opens"), [("PERMANENT", False), ("TRANSIENT", True)])
def test_the_breaker_counts_by_the_rule(send, settings, category, opens):
    settings.DLQ_BREAKER_FAILURES = 2
    rule("PlaneUnknown" if opens else "BillingAway", category)
    for _ in range(3):
        send(do="business" if opens else "dependency")
    consumer.Consumer(["order.created"], batch=1).run(until_empty=True)
    assert bool(breakers.states()) == opens
    assert Message.objects.exists() == opens


def test_a_failure_is_asked_about_once(send, monkeypatch):
    asked = []
    monkeypatch.setattr(failures, "ruled_category", lambda *given: asked.append(given) or "DEPENDENCY")
    send(do="dependency", order_id=7)
    consumer.Consumer(["order.created"]).run(until_empty=True)
    assert len(asked) == 1
