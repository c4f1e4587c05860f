"""The system that an event failed in says what became of it: it succeeded after all, or failed again."""

import json
from uuid import uuid4

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db


def report(reason="Refused: no", key="t1", **headers):
    """The dead letter of a task that failed, as its worker reports it."""
    pk = value(
        "SELECT dead_letter_report('mail.send', '[1]', %s, source => 'celery:shop', source_key => %s,"
        " queue => 'celery:shop', headers => %s)",
        reason,
        key,
        json.dumps(headers),
    )
    return DeadLetter.objects.get(pk=pk)


def recovered(source="celery:shop", key="t1"):
    return value("SELECT dead_letter_recovered(%s, %s)", source, key)


def revive(letter, forwarded=True, sent_as="t1"):
    """Revive it; its message goes to the other system, as the relay sends it there."""
    execute("SELECT dead_letter_revive(%s)", letter.pk)
    letter.refresh_from_db()
    if forwarded:
        execute(
            "INSERT INTO forwarded_messages (dlq_event_id, revive_seq, queue, remote_id)"
            " VALUES (%s, %s, 'celery:shop', %s)",
            letter.pk,
            letter.revive_count,
            sent_as,
        )
        execute("DELETE FROM message_queue WHERE dlq_event_id = %s", letter.pk)
    return letter


def status(letter):
    letter.refresh_from_db()
    return letter.status


def story(letter):
    return list(Attempt.objects.filter(dlq_event_id=letter.pk).order_by("id").values_list("kind", "outcome"))


@pytest.mark.parametrize("before", ["PENDING", "EXHAUSTED", "QUARANTINED"])
def test_what_succeeds_by_other_means_is_closed(before):
    letter = report()
    value(
        "UPDATE dlq_events SET status = %s WHERE id = %s", before, letter.pk
    ) if before == "EXHAUSTED" else None
    if before == "QUARANTINED":
        revive(letter)
        execute("UPDATE dlq_events SET status = 'QUARANTINED' WHERE id = %s", letter.pk)
    assert status(letter) == before
    assert recovered() is True
    assert status(letter) == "SUCCEEDED"
    assert story(letter)[-1] == ("scheduler", "succeeded")
    assert recovered() is False, "it is closed already"


def test_what_was_revived_is_closed_and_is_on_its_way_no_more():
    letter = revive(report())
    assert status(letter) == "REVIVED"
    assert recovered() is True
    assert status(letter) == "SUCCEEDED"
    assert story(letter) == [("reported", "failed"), ("revive", "succeeded")]
    assert value("SELECT count(*) FROM forwarded_messages") == 0


def test_a_revived_one_that_fails_again_is_the_same_row_with_one_attempt_more():
    letter = revive(report())
    again = report("Refused: still no", **{"x-dlq-revive-seq": "1"})
    assert (again.pk, again.status, again.error_reason) == (letter.pk, "PENDING", "Refused: still no")
    assert (again.occurrences, again.come_backs) == (2, 1)
    assert story(letter) == [("reported", "failed"), ("revive", "failed")]
    assert value("SELECT count(*) FROM forwarded_messages") == 0


def test_a_come_back_that_is_reported_again_counts_once():
    letter, number = revive(report()), uuid4()
    for _ in range(2):
        execute(
            "SELECT dead_letter_report('mail.send', '[1]', 'Refused: x', source => 'celery:shop',"
            """ source_key => 't1', headers => '{"x-dlq-revive-seq": "1"}', report_id => %s)""",
            number,
        )
    letter.refresh_from_db()
    assert (letter.status, letter.occurrences, letter.come_backs) == ("PENDING", 2, 1)


def test_a_failure_of_an_earlier_revival_leaves_the_newer_one_on_its_way():
    letter = revive(report())
    report(**{"x-dlq-revive-seq": "1"})
    revive(letter)
    assert report(**{"x-dlq-revive-seq": "1"}).status == "REVIVED"
    assert report(**{"x-dlq-revive-seq": "none"}).status == "REVIVED"
    assert report(**{"x-dlq-revive-seq": "2"}).status == "PENDING"


@pytest.mark.parametrize("forwarded", [False, True])
def test_what_becomes_of_a_message_on_our_queue_is_told_by_our_consumers(forwarded):
    revive(report(), forwarded)
    again = report(**{"x-dlq-revive-seq": "1"})
    assert again.status == ("PENDING" if forwarded else "REVIVED")
    assert recovered() is forwarded


def test_a_dead_letter_of_a_queue_of_ours_stays_open(letter):
    execute("SELECT queue_send('orders', '1')")
    execute("SELECT queue_give_up(c.id, c.token, 'Refused: no') FROM queue_claim('orders') c")
    ours = DeadLetter.objects.get(queue="orders")
    stored = DeadLetter.objects.get(pk=letter(source="shop", source_key="7"))
    # reported before or after, by who knows its name
    execute(
        "SELECT dead_letter_report('orders', '1', 'Mine: x', source => %s, source_key => %s)",
        ours.source,
        ours.source_key,
    )
    assert recovered(ours.source, ours.source_key) is False
    assert recovered("shop", "7") is False
    assert recovered("shop", "nothing") is False
    assert status(ours) == status(stored) == "PENDING"


@pytest.mark.parametrize("closed", ["DISCARDED", "SUCCEEDED"])
def test_what_a_person_closed_stays_as_it_is(closed):
    letter = report()
    execute("UPDATE dlq_events SET status = %s WHERE id = %s", closed, letter.pk)
    assert recovered() is False
    assert status(letter) == closed


def test_a_revival_that_has_an_id_of_its_own_there_is_known_by_it():
    letter = revive(report(), sent_as="t2")
    assert report("Refused: still no", key="t2").pk == letter.pk
    assert story(letter) == [("reported", "failed"), ("revive", "failed")]
    revive(letter, sent_as="t3")
    assert recovered(key="t3") is True
    assert status(letter) == "SUCCEEDED"
    assert recovered(source="mails", key="t3") is False
    assert report(key="t3").pk != letter.pk, "it is on its way no more"
