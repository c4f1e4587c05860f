"""A revived dead letter whose message is gone is settled, or returns to where it was, and says why."""

import pytest
from django.db import transaction

from dlqconsole.core import messages
from dlqconsole.core.messages import queues
from dlqconsole.engine.models import Attempt, DeadLetter, Message, Queue
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db


@pytest.fixture
def revived(letter):
    """revived(status="EXHAUSTED") makes a dead letter and revives it onto the queue q; its id."""

    def revive(**columns):
        number = letter(queue="q", **columns)
        assert value("SELECT dead_letter_revive(%s)", number)
        return number

    return revive


def claimed():
    return messages.claim("q", 10, "ann", 60)


def story(number):
    """Its status, and of the newest attempt outcome, worker and reason."""
    attempt = Attempt.objects.filter(dlq_event_id=number).latest("id")
    return DeadLetter.objects.get(pk=number).status, attempt.outcome, attempt.worker, attempt.error_reason


ENDS = {
    "complete": (lambda: messages.complete(claimed()), "ann", "Completed by its consumer"),
    "archive": (lambda: messages.archive(claimed()), "ann", "its message is archived"),
    "pop": (lambda: messages.pop("q", 10, owner="bob"), "bob", "Popped"),
    "delete while held": (
        lambda: claimed() and value("DELETE FROM message_queue"),
        "ann",
        "Completed by its consumer",
    ),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("retention", ["delete", "archive"])
def test_what_was_completed_without_a_handler_of_ours_has_succeeded(revived, end, retention):
    Queue.objects.create(name="q", retention=retention)
    queues.forget()
    number, another = revived(), revived(status="QUARANTINED")
    messages.send("q", "{}")
    how, who, words = ENDS[end]
    how()
    assert not Message.objects.exists()
    for each in (number, another):
        status, outcome, worker, reason = story(each)
        assert (status, outcome, worker) == ("SUCCEEDED", "succeeded", who)
        assert words in reason or (retention == "archive" and "archived" in reason)


@pytest.mark.parametrize("status", ["PENDING", "EXHAUSTED", "QUARANTINED"])
def test_what_nobody_held_returns_to_where_it_was_and_says_who_deleted_it(revived, status):
    number = revived(status=status)
    message = Message.objects.get().pk
    execute("DELETE FROM message_queue WHERE queue = 'q'")
    now, outcome, worker, reason = story(number)
    who = value("SELECT session_user::text")
    assert (now, outcome) == (status, "lost")
    assert worker.startswith(who)
    assert reason.startswith(f"MessageDeleted: {who}")
    assert f"q/{message}" in reason
    # what failed at first is still what the dead letter shows, and the schedule leaves a person time to look
    assert value("SELECT error_reason FROM dlq_events") == "Refused: billing said no"
    assert value("SELECT retry_after > now() + interval '50 minutes' FROM dlq_events")


def test_whose_lease_ran_out_held_it_no_more(revived):
    number = revived()
    claimed()
    execute("UPDATE message_queue SET lease_until = now() - interval '1 second'")
    execute("DELETE FROM message_queue")
    assert story(number)[:2] == ("PENDING", "lost")


def test_a_consumer_that_is_late_and_still_has_its_token_completed_it(revived):
    number = revived()
    late = claimed()
    execute("UPDATE message_queue SET lease_until = now() - interval '1 second'")
    messages.complete(late)
    assert story(number)[:3] == ("SUCCEEDED", "succeeded", "ann")


def test_one_statement_settles_many_and_leaves_those_of_others(revived):
    numbers = [revived(status="EXHAUSTED") for _ in range(20)]
    held = {claim.dlq_event_id for claim in messages.claim("q", 5, "ann", 60)}
    execute("DELETE FROM message_queue WHERE dlq_event_id <> %s", numbers[-1])
    found = dict(DeadLetter.objects.values_list("pk", "status"))
    assert {number for number, status in found.items() if status == "SUCCEEDED"} == held
    assert found[numbers[-1]] == "REVIVED"
    assert list(found.values()).count("EXHAUSTED") == 14


def test_a_message_that_moves_to_another_table_is_not_gone(revived):
    number = revived()
    execute(
        "WITH moved AS (DELETE FROM ONLY message_queue RETURNING *) INSERT INTO message_queue_unlogged"
        " (id, queue, payload, dlq_event_id, revive_seq) SELECT id, queue, payload, dlq_event_id, revive_seq"
        " FROM moved"
    )
    assert DeadLetter.objects.get().status == "REVIVED"
    execute("DELETE FROM message_queue_unlogged")
    assert story(number)[:2] == ("PENDING", "lost")


def test_a_message_of_an_earlier_revival_settles_nothing(revived):
    number = revived()
    execute("UPDATE dlq_events SET revive_count = 2")
    execute("DELETE FROM message_queue")
    assert DeadLetter.objects.get(pk=number).status == "REVIVED"


def test_what_fails_again_is_told_once(revived):
    """The statement that buries says it by itself."""
    number = revived()
    with transaction.atomic():
        execute("UPDATE dlq_events SET status = 'EXHAUSTED' WHERE id = %s", number)
        execute("DELETE FROM message_queue")
    assert not Attempt.objects.exists()


def test_who_reports_a_failure_and_takes_the_message_off_has_not_completed_it(revived):
    number = revived(source="shop", source_key="7")
    claimed()
    execute(
        "SELECT dead_letter_report('order.created', payload, 'Refused: again', source => source,"
        " source_key => source_key) FROM dlq_events WHERE id = %s",
        number,
    )
    execute("DELETE FROM message_queue")
    status, outcome, _worker, reason = story(number)
    assert (status, outcome) == ("PENDING", "lost")
    assert "for which a failure had been reported" in reason
    assert Attempt.objects.filter(error_reason="Refused: again").count() == 1


def test_the_next_of_a_group_is_called_whoever_deletes_the_one_before_it():
    first = messages.send("q", "{}", group_key="a")
    second, third = (messages.send("q", "{}", group_key="a") for _ in range(2))
    execute("DELETE FROM message_queue WHERE id = %s", first)
    assert dict(Message.objects.values_list("id", "status")) == {second: "pending", third: "waiting"}
