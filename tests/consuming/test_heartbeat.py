"""The heartbeat: a slow handler keeps its message, and a process that stood still knows that it has not."""

import time

import pytest

from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.core import messages
from dlqconsole.engine.models import Message
from dlqconsole.transports.native.source import NativeSource

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = 0.9


@pytest.fixture
def heartbeat():
    beating = LeaseHeartbeat()
    yield beating
    beating.stop()


def held(heartbeat, lease=LEASE):
    source = NativeSource()
    source.send("q", "{}")
    claimed_at = time.monotonic()
    [message] = source.claim("q", 1, "me", lease)
    heartbeat.take(source, [message], lease, claimed_at)
    return message


def test_a_claim_outlives_its_lease_while_it_is_held(heartbeat):
    message = held(heartbeat)
    time.sleep(LEASE * 2)
    assert messages.claim("q", 1, "you", 60) == []
    assert heartbeat.holds(message)


def test_a_claim_that_was_let_go_is_not_extended(heartbeat):
    message = held(heartbeat)
    heartbeat.let_go([message])
    time.sleep(LEASE * 1.2)
    assert len(messages.claim("q", 1, "you", 60)) == 1
    assert not heartbeat.holds(message)


def test_what_somebody_else_took_over_is_known_to_be_lost(heartbeat):
    message = held(heartbeat)
    Message.objects.update(lease_until="2020-01-01T00:00:00Z")
    assert len(messages.claim("q", 1, "you", 60)) == 1
    time.sleep(LEASE * 0.7)
    assert not heartbeat.holds(message)
    assert heartbeat.has_lost(message)


def test_nothing_is_begun_whose_lease_is_nearly_over(heartbeat):
    source = NativeSource()
    source.send("q", "{}")
    [message] = source.claim("q", 1, "me", 60)
    heartbeat.take(source, [message], 60, time.monotonic() - 55)  # as if the process had stood still since
    assert not heartbeat.holds(message)
    heartbeat.take(source, [message], 60, time.monotonic() - 20)
    assert heartbeat.holds(message)
