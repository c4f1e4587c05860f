"""What no trigger saw: revived dead letters whose messages are nowhere return to where they were."""

import pytest

from dlqconsole.consuming.housekeeping import Housekeeping
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.transports import lost
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.tasks import settle_lost
from tests.plain_sql import execute, value
from tests.transports.conftest import status

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def from_the_start(monkeypatch):
    monkeypatch.setattr(lost, "_place", lost.START)


@pytest.fixture
def revived(letter):
    """revived(minutes=2) revives a dead letter so long ago; its id."""

    def revive(*, minutes=2, **columns):
        number = letter(queue="q", **columns)
        execute("SELECT dead_letter_revive(%s)", number)
        execute(
            "UPDATE dlq_events SET revived_at = now() - make_interval(mins => %s) WHERE id = %s",
            minutes,
            number,
        )
        return number

    return revive


def without_triggers(statement):
    execute("SET LOCAL session_replication_role = replica")
    execute(statement)
    execute("SET LOCAL session_replication_role = origin")


def story(number):
    attempt = Attempt.objects.get(dlq_event_id=number)
    return DeadLetter.objects.get(pk=number).status, attempt.outcome, attempt.error_reason


@pytest.mark.parametrize("chore", [settle_lost, lambda: Housekeeping([]).keep()], ids=["beat", "consumer"])
def test_what_was_deleted_while_triggers_were_off_returns(revived, chore):
    number, still_there = revived(status="EXHAUSTED"), revived()
    without_triggers("DELETE FROM message_queue WHERE dlq_event_id = (SELECT min(id) FROM dlq_events)")
    chore()
    now, outcome, reason = story(number)
    assert (now, outcome) == ("EXHAUSTED", "lost")
    assert "nobody said what became of it" in reason
    assert status(still_there) == "REVIVED"
    assert lost.settle() == 0


@pytest.mark.django_db(transaction=True)
def test_who_emptied_the_table_is_named(revived):
    numbers = [revived(status="QUARANTINED"), revived()]
    execute("TRUNCATE message_queue")
    assert lost.settle() == 2
    assert [story(number)[0] for number in numbers] == ["QUARANTINED", "PENDING"]
    assert f"{value("SELECT 'sql:' || session_user")} emptied the table of messages" in story(numbers[0])[2]


def test_what_was_revived_just_now_is_left_alone(revived):
    number = revived(minutes=0)
    without_triggers("DELETE FROM message_queue")
    assert lost.settle() == 0
    assert status(number) == "REVIVED"


def test_what_is_on_its_way_through_an_attached_queue_is_not_lost(revived):
    number = revived()
    execute("INSERT INTO attached_queues (name, transport, remote_name) VALUES ('pgmq:a', 'pgmq', 'a')")
    execute(
        "INSERT INTO forwarded_messages (dlq_event_id, revive_seq, queue, remote_id)"
        " VALUES (%s, 1, 'pgmq:a', '7')",
        number,
    )
    execute("DELETE FROM message_queue")
    assert lost.settle() == 0
    assert status(number) == "REVIVED"
    # somebody lets go of the queue by hand
    execute("DELETE FROM attached_queues")
    assert lost.settle() == 1
    assert story(number)[:2] == ("PENDING", "lost")
    assert "pgmq:a is attached no more" in story(number)[2]
    assert not ForwardedMessage.objects.exists()


def test_a_look_goes_on_where_the_last_one_had_no_more_time(revived, monkeypatch):
    monkeypatch.setattr(lost, "PAGE", 2)
    numbers = [revived() for _ in range(5)]
    without_triggers("DELETE FROM message_queue")
    assert [lost.settle(seconds=-1) for _ in range(4)] == [2, 2, 1, 0]
    assert {status(number) for number in numbers} == {"PENDING"}
