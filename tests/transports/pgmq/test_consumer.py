"""Our handlers on a PGMQ queue that was attached: the same rules as on queues of our own."""

import json
import signal
import time

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core.errors import UnknownQueue
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.models import DeadLetter, EnrichedEvent
from dlqconsole.transports import relay
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.pgmq.source import PgmqSource
from tests.operations.processes import Processes
from tests.plain_sql import execute, value
from tests.threads import meanwhile
from tests.transports.conftest import archived, on_queue
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def send(attached):
    """send(order_id=1) puts that order on the attached queue, as an event that a handler of ours knows."""

    def put(event_type="order.created", **data):
        return value(
            "SELECT * FROM pgmq.send(%s, %s::jsonb, jsonb_build_object('ce_type', %s::text))",
            attached.remote_name,
            json.dumps(data),
            event_type,
        )

    return put


def claimed(queue):
    """Wait until a consumer has claimed something: loading handlers takes as long as it takes."""
    as_soon_as(lambda: value(f"SELECT max(read_ct) FROM pgmq.q_{queue.remote_name}") == 1)


def consume(queue, **more):
    return Consumer([queue.name], **more).run(until_empty=True)


def test_it_drains_the_queue_and_keeps_what_the_handlers_returned(attached, send):
    for number in range(30):
        send(order_id=number, **({"do": "business"} if number % 10 == 0 else {}))
    assert consume(attached) == {ClaimResult.COMPLETED: 27, ClaimResult.DEAD: 3}
    assert EnrichedEvent.objects.filter(source=attached.name, event_type="order.created").count() == 27
    letters = DeadLetter.objects.filter(queue=attached.name, error_class="PlaneUnknown", status="PENDING")
    assert letters.count() == len(archived(attached)) == 3
    assert on_queue(attached) == []


def test_an_event_without_a_handler_stays_on_the_queue_and_its_reads_are_not_counted(attached, send):
    message = send(event_type="unheard.of")
    send(order_id=1)
    for _ in range(8):  # more often than the queue allows deliveries
        execute(f"UPDATE pgmq.q_{attached.remote_name} SET vt = now()")
        assert consume(attached)[ClaimResult.PUT_BACK] == 1
    assert on_queue(attached) == [message]
    assert value(f"SELECT read_ct FROM pgmq.q_{attached.remote_name}") == 0
    assert relay.run_once()["dead-lettered"] == 0
    assert not DeadLetter.objects.exists()
    assert EnrichedEvent.objects.count() == 1


def test_what_others_read_too_often_is_not_buried_by_who_has_no_handler_for_it(attached, send):
    message = send(event_type="unheard.of")
    for _ in range(6):
        execute("SELECT pgmq.read(%s, 0, 1)", attached.remote_name)
    assert consume(attached) == {ClaimResult.PUT_BACK: 1}
    assert on_queue(attached) == [message]
    assert not DeadLetter.objects.exists()


@pytest.mark.usefixtures("waits_are_long")
def test_what_may_heal_is_read_again_later_until_the_deliveries_are_used(attached, send):
    AttachedQueue.objects.update(max_deliveries=1)
    send(do="dependency")
    assert consume(attached) == {ClaimResult.LATER: 1}
    assert value(f"SELECT vt > now() FROM pgmq.q_{attached.remote_name}")
    execute(f"UPDATE pgmq.q_{attached.remote_name} SET vt = now()")
    assert consume(attached) == {ClaimResult.DEAD: 1}
    assert DeadLetter.objects.get().error_reason == "BillingAway: billing answered 503"


def test_what_keeps_stopping_its_consumers_is_not_tried_again(attached, send):
    send(do="crash")
    for _ in range(6):
        execute("SELECT pgmq.read(%s, 0, 1)", attached.remote_name)
    assert consume(attached) == {ClaimResult.DEAD: 1}
    assert DeadLetter.objects.get().error_reason == "DeliveriesExhausted: read 6 times and never completed"


def test_a_revived_dead_letter_that_our_handler_completes_has_succeeded(attached, send):
    send(order_id=1, do="business")
    consume(attached)
    letter = DeadLetter.objects.get()
    execute("UPDATE dlq_events SET payload = '{\"order_id\": 1}'")
    execute("SELECT dead_letter_revive(%s)", letter.id)
    relay.run_once()
    assert consume(attached) == {ClaimResult.COMPLETED: 1}
    relay.run_once()
    letter.refresh_from_db()
    assert letter.status == "SUCCEEDED"
    record = EnrichedEvent.objects.get()
    assert (record.source, record.source_key) == (letter.source, letter.source_key)


def test_a_handler_may_take_longer_than_its_lease(attached, send):
    AttachedQueue.objects.update(lease_seconds=1)
    send(do="sleep", seconds=2.2)
    send(order_id=2)
    taken = []

    def others():
        claimed(attached)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            taken.extend(PgmqSource().claim(attached.remote_name, 10, "other", 60))
            time.sleep(0.05)

    with meanwhile([others]):
        assert consume(attached) == {ClaimResult.COMPLETED: 2}
    assert taken == []


def test_what_was_taken_over_is_not_recorded_by_who_lost_it(attached, send):
    send(do="sleep", seconds=1)
    consumer = Consumer([attached.name])

    def take_over():
        try:
            claimed(attached)
            time.sleep(0.3)  # claimed is not yet begun
            execute(f"UPDATE pgmq.q_{attached.remote_name} SET vt = now(), read_ct = read_ct + 1")
        finally:
            consumer.stop()

    with meanwhile([take_over]):
        assert consumer.run() == {ClaimResult.LOST: 1}
    assert not EnrichedEvent.objects.exists()
    assert len(on_queue(attached)) == 1


def test_a_stop_finishes_the_message_in_hand_and_gives_back_the_rest(attached, send):
    send(do="sleep", seconds=0.7)
    for number in range(4):
        send(order_id=number)
    consumer = Consumer([attached.name])

    def stop():
        try:
            claimed(attached)
            time.sleep(0.3)  # claimed is not yet begun
        finally:
            consumer.stop()

    with meanwhile([stop]):
        assert consumer.run() == {ClaimResult.COMPLETED: 1}
    assert PgmqSource().metrics(attached.remote_name).visible == 4


@pytest.mark.faults
def test_what_a_killed_consumer_held_is_done_by_another(attached, send):
    AttachedQueue.objects.update(lease_seconds=1)
    send(do="sleep", seconds=1)
    for number in range(8):
        send(order_id=number)
    with Processes() as processes:
        victim = processes.begin("manage.py", "consume", attached.name)
        claimed(attached)
        victim.kill()
        heir = processes.begin("manage.py", "consume", attached.name)
        eventually(lambda: on_queue(attached) == [])
        heir.send_signal(signal.SIGTERM)
        output, _ = heir.communicate(timeout=10)
    assert output == "9 completed\n"
    assert EnrichedEvent.objects.count() == 9


def test_a_database_that_goes_away_for_a_moment_is_waited_for(attached, send):
    for number in range(50):
        send(order_id=number)
    consumer = Consumer([attached.name], batch=5)

    with meanwhile([consumer.run]):
        as_soon_as(EnrichedEvent.objects.exists)
        execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        execute(f"UPDATE pgmq.q_{attached.remote_name} SET vt = now()")
        eventually(lambda: on_queue(attached) == [])
        consumer.stop()
    assert EnrichedEvent.objects.count() == 50


def test_a_queue_that_nobody_attached_is_refused_with_one_sentence(pgmq_queue):
    with pytest.raises(UnknownQueue, match=r"Attach it first: manage\.py attach pgmq:"):
        Consumer([f"pgmq:{pgmq_queue}"]).run(until_empty=True)
