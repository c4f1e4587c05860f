"""A failure that was reported once can be read for ever, and so can each payload, whatever came after it."""

import json
import threading

import pytest
from django.db import OperationalError

from dlqconsole.consuming import settlement
from dlqconsole.core import messages
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.failures import Backoff, QueuePolicy
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.models import Attempt, DeadLetter, Message
from dlqconsole.processing.outcomes import Failed
from dlqconsole.retries import run
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource
from tests.core.lifecycle.test_failure import set_policy
from tests.moving import bring_to
from tests.plain_sql import execute, value
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

POLICY = QueuePolicy(max_retries=3, backoff=Backoff(0.0, 0.0))


def consume():
    """Claim and settle one message; what became of it."""
    set_policy(POLICY)
    source = NativeSource()
    [message] = source.claim("order.created", 1, "me", 60)
    return settlement.settle(source, message, handle_message(message, None), POLICY)


def fails(identity="7", do="business", **data):
    """Send an event that names itself, and let it fail."""
    event = {"specversion": "1.0", "id": identity, "source": "shop", "type": "order.created"}
    messages.send("order.created", json.dumps(event | {"data": {"do": do, **data}}))
    consume()


def told(**which):
    """Kind, worker, category and reason of each attempt, in order."""
    columns = ("kind", "worker", "error_category", "error_reason")
    return list(Attempt.objects.filter(**which).order_by("finished_at", "id").values_list(*columns))


def test_what_plain_sql_reported_is_there_after_a_scheduled_run(letter):
    letter(
        "order.created", {"do": "transient"}, error_reason="Timeout: billing", error_stacktrace="at charge()"
    )
    run.run()
    first, second = Attempt.objects.order_by("finished_at", "id")
    assert (first.kind, first.error_category) == ("reported", "TRANSIENT")
    assert (first.error_reason, first.error_stacktrace) == ("Timeout: billing", "at charge()")
    assert (second.kind, second.error_reason) == ("schedule", "Hiccup: try again")


def test_what_plain_sql_writes_over_is_kept(letter):
    number = letter(error_reason="Refused: no", error_category="BUSINESS")
    execute("UPDATE dlq_events SET error_reason = 'Gone: away' WHERE id = %s", number)
    execute("UPDATE dlq_events SET error_stacktrace = 'at once()' WHERE id = %s", number)
    execute("UPDATE dlq_events SET error_stacktrace = 'at last()' WHERE id = %s", number)
    assert told() == [
        ("reported", "", "BUSINESS", "Refused: no"),
        ("reported", "", "BUSINESS", "Gone: away"),
        ("reported", "", "BUSINESS", "Gone: away"),
    ]
    assert sorted(Attempt.objects.values_list("error_stacktrace", flat=True)) == ["", "", "at once()"]


def test_a_rule_or_an_edit_is_no_failure(letter):
    number = letter()
    execute("SELECT reclassify_dead_letters(ARRAY[%s], 'PERMANENT')", number)
    execute("UPDATE dlq_events SET status = 'DISCARDED' WHERE id = %s", number)
    assert told() == []


def test_each_try_on_the_queue_is_an_attempt_of_its_dead_letter(send):
    number = send(do="dependency")
    for _ in range(3):
        consume()
    assert {attempt.dlq_event_id for attempt in Attempt.objects.all()} == {None}
    consume()
    letter = DeadLetter.objects.get()
    assert letter.retry_count == 4
    attempts = list(
        Attempt.objects.filter(dlq_event_id=letter.pk, message=f"order.created/{number}").order_by("id")
    )
    assert [attempt.kind for attempt in attempts] == ["queue"] * 4
    assert {attempt.error_reason for attempt in attempts} == {"BillingAway: billing answered 503"}
    assert {attempt.error_category for attempt in attempts} == {"DEPENDENCY"}
    assert all("_obey" in attempt.error_stacktrace and attempt.worker == "me" for attempt in attempts)
    assert all(attempt.started_at < attempt.finished_at for attempt in attempts)
    assert letter.first_failure_at == attempts[0].finished_at


def test_what_a_revived_message_met_on_the_queue_is_told_too(send):
    send(do="dependency")
    for _ in range(4):
        consume()
    letter = DeadLetter.objects.get()
    execute("SELECT dead_letter_revive(%s)", letter.pk)
    for _ in range(4):
        consume()
    letter.refresh_from_db()
    assert (letter.status, letter.retry_count, letter.occurrences) == ("PENDING", 8, 2)
    assert [kind for kind, *_ in told(dlq_event_id=letter.pk)] == ["queue"] * 4 + ["revive"] * 4


def test_of_more_than_a_hundred_the_middle_is_folded_and_still_counted(letter):
    number = letter(error_reason="Number: 0")
    for place in range(1, 251):
        execute(
            "UPDATE dlq_events SET error_reason = %s, last_failure_at = clock_timestamp() WHERE id = %s",
            f"Number: {place}",
            number,
        )
    attempts = list(Attempt.objects.order_by("finished_at", "id"))
    assert len(attempts) <= 100
    assert sum(attempt.stands_for for attempt in attempts) == 250
    assert [attempt.error_reason for attempt in attempts[:20]] == [f"Number: {place}" for place in range(20)]
    assert attempts[-1].error_reason == "Number: 249"
    [folded] = [attempt for attempt in attempts if attempt.kind == "folded"]
    assert attempts.index(folded) == 20


def test_other_bytes_under_the_same_id_are_another_dead_letter():
    fails(order_id=1)
    fails(order_id=2)
    fails(order_id=2)
    first, second = DeadLetter.objects.order_by("id")
    assert (first.payload["data"]["order_id"], first.occurrences, first.same_id_as) == (1, 1, None)
    assert (second.payload["data"]["order_id"], second.occurrences, second.same_id_as) == (2, 2, first.pk)
    assert (second.source, second.source_key[:2]) == ("shop", "7:")
    assert value("SELECT dead_letter_revive(%s)", second.pk)
    assert Message.objects.get().payload == second.payload


def test_equal_numbers_in_other_bytes_are_other_bytes():
    fails(order_id=1)
    fails(order_id=1.0)
    assert [str(row.payload["data"]["order_id"]) for row in DeadLetter.objects.order_by("id")] == ["1", "1.0"]


@pytest.mark.parametrize("status", ["SUCCEEDED", "DISCARDED", "REVIVED", "PENDING"])
def test_other_bytes_are_kept_whatever_the_first_is(status):
    fails(order_id=1)
    bring_to(status)
    fails(order_id=2)
    assert [row.payload["data"]["order_id"] for row in DeadLetter.objects.order_by("id")] == [1, 2]
    assert list(DeadLetter.objects.order_by("id").values_list("status", flat=True)) == [status, "PENDING"]


@pytest.mark.parametrize("status", ["SUCCEEDED", "DISCARDED"])
def test_a_closed_one_that_fails_again_is_open_again_and_says_so(status):
    fails(order_id=1)
    bring_to(status)
    fails(order_id=1)
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.occurrences) == ("PENDING", 2)
    assert list(Attempt.objects.order_by("id").values_list("reopened_from", flat=True)) == ["", status]


def test_one_that_is_under_way_stays_so_and_the_failure_is_told():
    fails(order_id=1)
    execute("SELECT dead_letter_revive(id) FROM dlq_events")
    Message.objects.update(queue="elsewhere")
    fails(order_id=1)
    assert DeadLetter.objects.get().status == "REVIVED"
    assert len(told()) == 2


def test_each_failure_of_one_that_is_under_way_is_told_once():
    def fails_saying(*words):
        for reason in words:
            messages.send("order.created", "{}")
            [claim] = messages.claim("order.created", 1, "me", 60)
            failure = Failed(reason, "BUSINESS", "Refused", "")
            messages.dead_letter(
                claim, Identity("order.created", "shop", "7"), failure, DeadLetterStatus.PENDING
            )

    fails_saying("Refused: one")
    execute("SELECT dead_letter_revive(id) FROM dlq_events")
    Message.objects.update(queue="elsewhere")
    fails_saying("Refused: two", "Refused: three")
    Message.objects.update(queue="order.created")
    fails_saying("Refused: four")
    assert [reason for *_, reason in told()] == [
        "Refused: one",
        "Refused: two",
        "Refused: three",
        "Refused: four",
    ]


def test_the_event_as_it_was_before_an_edit_is_the_same_event():
    fails(order_id=1)
    letter = DeadLetter.objects.get()
    original = json.dumps(letter.payload)
    changed = original.replace('"order_id": 1', '"order_id": 10')
    execute(
        "WITH kept AS (INSERT INTO payload_versions (dlq_event_id, number, payload)"
        " SELECT id, n, p::jsonb FROM dlq_events, (VALUES (0, %s), (1, %s)) v (n, p))"
        " UPDATE dlq_events SET payload = %s::jsonb, payload_version = 1",
        original,
        changed,
        changed,
    )
    fails(order_id=1)
    fails(order_id=10)
    assert DeadLetter.objects.get().occurrences == 3


def test_of_two_at_once_neither_is_lost():
    """Other bytes under one id, both for the first time, in one moment: who comes second looks again."""
    for order_id in (1, 2):
        event = {"specversion": "1.0", "id": "7", "source": "shop", "type": "order.created"}
        messages.send("order.created", json.dumps(event | {"data": {"do": "business", "order_id": order_id}}))
    both_handled = threading.Barrier(2)

    def one():
        source = NativeSource()
        [message] = source.claim("order.created", 1, "me", 60)
        handled = handle_message(message, None)
        both_handled.wait(10)
        try:
            return retry_transient(lambda: settlement.settle(source, message, handled, POLICY))
        finally:
            source.close()

    assert at_once([one] * 2) == [ClaimResult.DEAD] * 2
    assert sorted(row.payload["data"]["order_id"] for row in DeadLetter.objects.all()) == [1, 2]


def test_a_failure_that_came_too_late_changes_nothing():
    """As where its look at the known event is always older than that event."""
    fails(order_id=1)
    whole = value("SELECT pg_get_functiondef('dead_letter_named'::regproc)")
    try:
        execute(whole.replace("JOIN dlq_events k ON", "JOIN dlq_events k ON false AND"))
        with pytest.raises(OperationalError, match="in the same moment"):
            fails(order_id=2)
    finally:
        execute(whole)
    assert Message.objects.count() == DeadLetter.objects.count() == 1
