"""Wake-ups: who sleeps is woken, who does not costs the producers nothing, and polling goes on underneath."""

import threading
import time

import pytest
from django.db import connection, transaction

from dlqconsole.core import messages
from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.notifications import UNCERTAIN_SECONDS, WakeUps
from dlqconsole.engine.models import Queue
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_sleeps(transactional_db):
    execute("DELETE FROM queue_sleepers")


@pytest.fixture
def wakeups():
    listener = WakeUps(["q"], "me", poll_seconds=10)
    yield listener
    listener.close()


def seconds_to(step):
    begun = time.monotonic()
    step()
    return time.monotonic() - begun


def notifications(send, channel="message_queue"):
    """How many a listener hears while ``send`` runs."""
    with sessions.own_connection() as listener:
        listener.execute(f"LISTEN {channel}")
        send()
        return [heard.payload for heard in listener.notifies(timeout=0.3)]


def test_a_sleeper_is_woken_by_what_is_sent(wakeups):
    wakeups.announce()
    sender = threading.Timer(0.3, lambda: (messages.send("q", "{}"), connection.close()))
    sender.start()
    assert 0.2 < seconds_to(wakeups.wait) < 3
    sender.join()


def test_a_sleeper_is_not_woken_for_other_queues(wakeups):
    wakeups.announce()
    messages.send("other", "{}")
    assert seconds_to(lambda: wakeups.wait(0.5)) >= 0.5


def test_without_a_sleeper_nobody_is_notified(wakeups):
    assert notifications(lambda: messages.send("q", "{}")) == []
    wakeups.announce()
    assert notifications(lambda: messages.send("q", "{}")) == ["q"]
    wakeups.awake()
    assert notifications(lambda: messages.send("q", "{}")) == []


@pytest.mark.parametrize(("mode", "heard"), [("statement", ["q"]), ("off", []), ("throttled", [])])
def test_a_queue_may_notify_always_or_never(mode, heard):
    Queue.objects.create(name="q", notify=mode)
    assert notifications(lambda: messages.send("q", "{}")) == heard


def test_an_off_queue_wakes_nobody(wakeups):
    Queue.objects.create(name="q", notify="off")
    wakeups.announce()
    assert notifications(lambda: messages.send("q", "{}")) == []


def test_a_thousand_messages_in_one_transaction_are_one_wake_up(wakeups):
    wakeups.announce()

    def send():
        with transaction.atomic():
            for _ in range(1000):
                messages.send("q", "{}")

    assert notifications(send) == ["q"]


def test_whoever_sent_before_the_announcement_and_has_not_committed_is_waited_for(wakeups):
    """Such a producer notifies nobody, so the consumer looks again soon instead of sleeping on."""
    with sessions.own_connection() as producer, producer.transaction():
        producer.execute("INSERT INTO message_queue (queue, payload) VALUES ('q', '{}')")
        wakeups.announce()
        assert seconds_to(wakeups.wait) < UNCERTAIN_SECONDS + 0.3


def test_a_listener_whose_session_was_ended_listens_again(wakeups):
    wakeups.announce()
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database()"
        " AND (query LIKE 'SELECT bool_and(pg_try_advisory_xact_lock%' OR query LIKE 'LISTEN%')"
    )
    wakeups.wait(0.2)
    wakeups.announce()
    assert notifications(lambda: messages.send("q", "{}")) == ["q"]


def test_the_poll_interval_is_never_passed(wakeups):
    wakeups.poll_seconds = 0.4
    wakeups.announce()
    assert 0.1 < seconds_to(wakeups.wait) < 1
