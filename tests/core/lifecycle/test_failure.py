"""A failed message: later on its queue, a dead letter, or back to the row it came from."""

import pytest

from dlqconsole.consuming import settlement
from dlqconsole.core import messages
from dlqconsole.core.lifecycle.failures import MAX_CRASHES, Backoff, QueuePolicy
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, EnrichedEvent, Message, Queue
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource
from tests.plain_sql import execute, value

POLICY = QueuePolicy(max_retries=2, backoff=Backoff(0.0, 0.0))


def set_policy(policy, queue="order.created"):
    """Give the queue a policy."""
    backoff = {f"backoff_{name}": getattr(policy.backoff, name) for name in ("factor", "jitter")}
    seconds = {"backoff_base_seconds": policy.backoff.base, "backoff_cap_seconds": policy.backoff.cap}
    Queue.objects.update_or_create(
        name=queue, defaults={"max_retries": policy.max_retries} | backoff | seconds
    )


def consume(queue="order.created", policy=POLICY):
    """Claim and settle one message; what became of it."""
    set_policy(policy, queue)
    source = NativeSource()
    [message] = source.claim(queue, 1, "me", 60)
    return settlement.settle(source, message, handle_message(message, None), policy)


def revive(pk):
    return value("SELECT dead_letter_revive(%s)", pk)


@pytest.mark.django_db
def test_a_handled_message_leaves_its_record_and_goes(send):
    send(order_id=7)
    assert consume() == ClaimResult.COMPLETED
    assert EnrichedEvent.objects.get().record == {"order_id": 7, "handled": True}
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_what_only_a_person_can_mend_is_buried_at_once(send):
    message_id = send(order_id=7, do="business", tailnum="N725MQ")
    assert consume() == ClaimResult.DEAD
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "PlaneUnknown: tailnum N725MQ is not in the planes table"
    assert (letter.error_class, letter.error_category, letter.status) == (
        "PlaneUnknown",
        "BUSINESS",
        "PENDING",
    )
    assert (letter.queue, letter.original_message_id) == ("order.created", message_id)
    assert (letter.source, letter.source_key) == ("queue:order.created", str(message_id))
    assert "_obey" in letter.error_stacktrace
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_what_may_heal_stays_on_its_queue_until_its_retries_are_used(send):
    send(do="dependency")
    assert [consume(), consume()] == [ClaimResult.LATER, ClaimResult.LATER]
    assert Message.objects.get().last_error == "BillingAway: billing answered 503"
    assert consume() == ClaimResult.DEAD
    assert DeadLetter.objects.get().error_category == "DEPENDENCY"


@pytest.mark.django_db
def test_a_later_attempt_waits_out_of_the_claim_index(send):
    send(do="dependency")
    consume(policy=QueuePolicy(max_retries=2, backoff=Backoff(1e6, 1e6)))
    assert Message.objects.get().status == "scheduled"


@pytest.mark.django_db
def test_an_event_type_without_a_handler_is_put_back_as_it_was(send):
    send(queue="orders", order_id=1)
    assert consume("orders") == ClaimResult.PUT_BACK
    assert not DeadLetter.objects.exists()
    message = Message.objects.get()
    assert (message.status, message.retry_count, message.crash_count) == ("scheduled", 0, 0)
    assert (message.unhandled_type, message.last_error) == ("orders", None)


@pytest.mark.django_db
def test_a_revived_message_that_succeeds_heals_its_dead_letter(send):
    send(order_id=7, do="business")
    consume()
    letter = DeadLetter.objects.get()
    revive(letter.pk)
    Message.objects.update(payload={"order_id": 7})  # the cause has gone
    assert consume() == ClaimResult.COMPLETED
    letter.refresh_from_db()
    assert letter.status == "SUCCEEDED"
    assert EnrichedEvent.objects.get().source_key == letter.source_key


@pytest.mark.django_db
def test_a_revived_message_that_fails_again_returns_to_the_same_row(send):
    send(order_id=7, do="business")
    consume()
    letter = DeadLetter.objects.get()
    revive(letter.pk)
    assert consume() == ClaimResult.DEAD
    again = DeadLetter.objects.get()
    assert (again.pk, again.status, again.revive_count, again.occurrences) == (letter.pk, "PENDING", 1, 2)
    assert again.dead_lettered_at == letter.dead_lettered_at
    assert list(Attempt.objects.order_by("id").values_list("kind", "outcome")) == [
        ("queue", "failed"),
        ("revive", "failed"),
    ]


@pytest.mark.django_db
def test_a_redelivered_failure_is_one_row_with_one_more_occurrence(send):
    event = {"specversion": "1.0", "id": "e1", "source": "shop", "type": "order.created"}
    for _ in range(3):
        send(**event, data={"do": "business"})
        consume()
    letter = DeadLetter.objects.get()
    assert (letter.source, letter.source_key, letter.occurrences) == ("shop", "e1", 3)


@pytest.mark.django_db
def test_a_message_that_cannot_be_read_is_quarantined_with_its_bytes():
    execute("INSERT INTO message_queue (queue, payload_raw) VALUES ('q', '\\xff00fe')")
    assert consume("q") == ClaimResult.DEAD
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class) == ("QUARANTINED", "MalformedEvent")
    assert bytes(letter.payload_raw) == b"\xff\x00\xfe"


@pytest.mark.django_db
def test_a_message_that_stopped_three_consumers_is_quarantined(send):
    send(do="crash")
    crashes = [messages.claim("order.created", 1, "victim", -1)[0].crash_count for _ in range(3)]
    assert crashes == [0, 1, 2]
    source = NativeSource()
    [message] = source.claim("order.created", 1, "careful", 60)
    assert message.crashes == MAX_CRASHES
    assert settlement.has_killed(source, message, POLICY)
    assert settlement.quarantine(source, message, None) == ClaimResult.DEAD
    letter = DeadLetter.objects.get()
    assert letter.status == "QUARANTINED"
    assert letter.error_reason == "ConsumerCrashed: its consumer stopped 3 times while it held this message"


@pytest.mark.django_db
def test_reviving_is_audited_with_the_message_it_made(send):
    send(do="business")
    consume()
    letter = DeadLetter.objects.get()
    message_id = revive(letter.pk)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target) == ("revive", f"dead_letter:{letter.pk}")
    assert entry.detail == {"message_id": message_id, "revive_count": 1}
