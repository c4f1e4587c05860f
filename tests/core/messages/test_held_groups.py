"""A queue that holds: behind a dead letter its group waits, and nothing waits for ever."""

import re
from pathlib import Path

import pytest

from dlqconsole.core import messages
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import NewMessage
from dlqconsole.core.messages.queues import forget
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.engine.queues import changes as queues
from dlqconsole.processing.outcomes import Failed
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db

FAILURE = Failed("Broken: it is", "BUSINESS", "Broken", "")
WHO = {"actor": "ann", "reason": "x"}


@pytest.fixture(autouse=True, params=[False, True], ids=["logged", "unlogged"])
def holding(request):
    Queue.objects.create(name="q", on_dead_letter="hold", unlogged=request.param)
    forget()


def send(*numbers, group="k"):
    messages.send_many("q", [NewMessage(str(number), group_key=group) for number in numbers])


def claim():
    return messages.claim("q", 10, "me", 60)


def payloads():
    return [each.payload for each in claim()]


def bury(claimed):
    """The dead letter of a message, known by its payload."""
    identity = Identity("q", "queue:q", claimed.payload, None)
    return messages.dead_letter(claimed, identity, FAILURE, DeadLetterStatus.PENDING)


def bury_first():
    [first] = claim()
    return bury(first)


def move(letter, status):
    DeadLetter.objects.filter(pk=letter).update(status=status)


def revive(letter):
    return value("SELECT dead_letter_revive(%s)", letter)


def rest():
    """What is still to be handled, in order, each completed."""
    seen = []
    while claims := claim():
        seen += [each.payload for each in claims]
        messages.complete(claims)
    return seen


def test_behind_a_dead_letter_its_group_waits_and_other_groups_go_on():
    send(1, 2)
    send(7, group="other")
    send(8, group=None)
    [first, *_others] = claim()
    bury(first)
    send(3)
    execute("INSERT INTO message_queue (queue, payload, group_key) VALUES ('q', '4', 'k')")
    assert rest() == []
    assert list(Message.objects.order_by("id").values_list("payload", "status")) == [
        (2, "waiting"), (7, "processing"), (8, "processing"), (3, "waiting"), (4, "waiting"),
    ]  # fmt: skip


def test_a_queue_that_goes_on_goes_on():
    Queue.objects.update(on_dead_letter="continue")
    send(1, 2)
    letter = bury_first()
    assert rest() == ["2"]
    send(3)
    assert revive(letter) > Message.objects.get(payload=3).pk
    assert rest() == ["3", "1"]


def test_a_revived_message_comes_first_in_its_group_under_its_old_number():
    send(1, 2, 3)
    number = Message.objects.earliest("id").pk
    letter = bury_first()
    assert revive(letter) == number
    send(4)
    assert rest() == ["1", "2", "3", "4"]
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_one_that_fails_again_holds_again():
    send(1, 2)
    letter = bury_first()
    revive(letter)
    assert bury_first() == letter
    assert rest() == []
    revive(letter)
    assert rest() == ["1", "2"]


@pytest.mark.parametrize("way", [["RETRYING", "SUCCEEDED"], ["DISCARDED"]], ids=["retried", "discarded"])
def test_when_it_is_closed_its_group_goes_on_at_once(way):
    send(1, 2, 3)
    letter = bury_first()
    for status in way:
        if status == "RETRYING":
            execute(
                "UPDATE dlq_events SET status = 'RETRYING', lease_token = gen_random_uuid(),"
                " lease_until = now()"
            )
            assert rest() == []
        else:
            move(letter, status)
    assert list(Message.objects.order_by("id").values_list("status", flat=True)) == ["pending", "waiting"]
    assert rest() == ["2", "3"]


def test_a_delayed_follower_stays_delayed_when_it_is_called():
    send(1)
    messages.send("q", "2", group_key="k", delay=3600)
    move(bury_first(), "DISCARDED")
    assert Message.objects.get().status == "scheduled"


def test_what_is_restored_holds_again_before_any_of_its_group_is_claimed():
    send(1, 2)
    letter = bury_first()
    move(letter, "DISCARDED")
    move(letter, "PENDING")
    assert rest() == []
    revive(letter)
    assert rest() == ["1", "2"]


def test_two_dead_letters_of_a_group_are_waited_for_in_their_order():
    Queue.objects.update(on_dead_letter="continue")
    send(1, 2, 3)
    one, two = bury_first(), bury_first()
    Queue.objects.update(on_dead_letter="hold")
    messages.unblock_forgotten("q")
    revive(two)
    assert rest() == []
    move(one, "DISCARDED")
    assert rest() == ["2", "3"]


def test_a_later_one_that_fails_beside_an_open_one_waits_for_its_turn():
    send(1, 2, 3)
    one = bury_first()
    move(one, "DISCARDED")
    two = bury_first()
    move(one, "PENDING")
    revive(two)
    assert rest() == []
    revive(one)
    assert rest() == ["1", "2", "3"]


def test_revived_elsewhere_it_holds_nobody():
    send(1, 2)
    letter = bury_first()
    execute(
        "WITH revived AS (UPDATE dlq_events SET status = 'REVIVED', revive_count = 1, revived_at = now()"
        " RETURNING id) INSERT INTO message_queue (queue, payload, dlq_event_id, revive_seq)"
        " SELECT 'elsewhere', '1', id, 1 FROM revived"
    )
    assert payloads() == ["2"]
    execute("DELETE FROM message_queue WHERE queue = 'elsewhere'")
    assert DeadLetter.objects.get(pk=letter).status == "PENDING"


def test_a_revived_message_that_is_deleted_leaves_its_group_waiting_for_the_dead_letter():
    send(1, 2)
    letter = bury_first()
    revive(letter)
    execute("DELETE FROM message_queue WHERE dlq_event_id IS NOT NULL")
    assert DeadLetter.objects.get().status == "PENDING"
    assert rest() == []
    move(letter, "DISCARDED")
    assert rest() == ["2"]


def test_a_revival_that_was_lost_without_a_trace_holds_its_group_again_or_frees_it():
    send(1, 2)
    letter = bury_first()
    revive(letter)
    execute("ALTER TABLE message_queue DISABLE TRIGGER message_queue_removed")
    execute("DELETE FROM ONLY message_queue WHERE dlq_event_id IS NOT NULL")
    execute("ALTER TABLE message_queue ENABLE TRIGGER message_queue_removed")
    execute("SELECT dead_letter_return_lost(ARRAY[%s]::bigint[], '{q/1}', '{gone}', 'me')", letter)
    assert rest() == []
    move(letter, "DISCARDED")
    assert rest() == ["2"]


def test_when_the_dead_letter_is_deleted_its_group_goes_on_at_once():
    send(1, 2)
    bury_first()
    execute("DELETE FROM dlq_events")
    assert rest() == ["2"]


def test_when_the_dead_letters_are_nowhere_the_next_chore_frees_the_groups():
    send(1, 2)
    bury_first()
    execute("TRUNCATE dlq_events")
    assert rest() == []
    assert messages.unblock_forgotten("q") == 1
    assert rest() == ["2"]


def test_when_the_policy_changes_back_the_groups_go_on_at_once():
    send(1, 2)
    bury_first()
    queues.change("q", **WHO, on_dead_letter="continue")
    assert rest() == ["2"]


def test_when_the_policy_changes_to_hold_what_is_open_already_holds():
    Queue.objects.update(on_dead_letter="continue")
    send(1, 2)
    letter = bury_first()
    queues.change("q", **WHO, on_dead_letter="hold")
    assert rest() == []
    revive(letter)
    assert rest() == ["1", "2"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE queues SET on_dead_letter = 'continue'",
        "UPDATE queues SET fifo_groups = false",
        "DELETE FROM queues",
    ],
)
def test_when_somebody_changes_the_policy_by_sql_the_next_chore_frees_the_groups(change):
    send(1, 2)
    bury_first()
    execute(change)
    assert messages.unblock_forgotten("q") == 1
    assert Message.objects.get().status == "pending"


def test_a_number_that_is_taken_or_still_to_come_is_not_given_again():
    send(1, 2)
    letter = bury_first()
    taken = DeadLetter.objects.get().original_message_id
    execute("INSERT INTO message_queue (id, queue, payload) VALUES (%s, 'elsewhere', '0')", taken)
    assert revive(letter) != taken
    assert rest() == ["2", "1"]
    send(3, 4)
    letter = bury_first()
    DeadLetter.objects.filter(pk=letter).update(original_message_id=10**12)
    assert revive(letter) < 10**12
    assert rest() == ["4", "3"]


def test_a_dead_letter_without_a_place_in_its_group_holds_nobody(letter):
    letter(queue="q", group_key="k")
    send(1)
    assert rest() == ["1"]


def test_every_statement_that_revives_into_a_group_asks_for_its_number():
    """Else its message would come last, and its group would go on before it."""
    statements = [
        columns
        for path in sorted(Path("dlqconsole").rglob("*.sql"))
        for columns in re.findall(r"INSERT INTO message_queue \(([^)]*)\)", path.read_text(encoding="utf-8"))
        if {"dlq_event_id", "group_key"} <= set(columns.replace(",", " ").split())
    ]
    assert len(statements) >= 3
    assert [columns for columns in statements if not columns.startswith("id,")] == []
