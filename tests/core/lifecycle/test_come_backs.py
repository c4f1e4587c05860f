"""How often a dead letter came back from its queue: counted by the database, whoever writes."""

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import DeadLetter, Queue
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db


def come_backs(pk):
    return DeadLetter.objects.get(pk=pk).come_backs


def test_what_fails_again_on_its_queue_has_come_back(letter, sample_handlers):
    Queue.objects.create(name="order.created", max_retries=0)
    pk = letter(payload={"do": "business"})
    for times in (1, 2):
        execute("SELECT dead_letter_revive(%s)", pk)
        Consumer(["order.created"]).run(until_empty=True)
        assert come_backs(pk) == times
    execute("UPDATE dlq_events SET status = 'DISCARDED' WHERE id = %s", pk)
    execute("UPDATE dlq_events SET status = 'PENDING' WHERE id = %s", pk)
    assert come_backs(pk) == 2, "a person set it aside and took it back"


def test_what_is_lost_purged_or_undone_has_not(letter):
    pk = letter()
    execute("SELECT dead_letter_revive(%s)", pk)
    execute("DELETE FROM message_queue")
    assert DeadLetter.objects.get().status == "PENDING"
    assert come_backs(pk) == 0


def test_a_retry_that_fails_is_no_come_back(letter):
    pk = letter(status="RETRYING", come_backs=3)
    execute("UPDATE dlq_events SET status = 'PENDING', occurrences = occurrences + 1 WHERE id = %s", pk)
    assert come_backs(pk) == 3


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE dlq_events SET payload = '{"order_id": 2}' WHERE id = %s""",
        "UPDATE dlq_events SET payload_version = payload_version + 1 WHERE id = %s",
        "UPDATE dlq_events SET status = 'SUCCEEDED' WHERE id = %s",
    ],
)
def test_another_payload_or_a_success_is_another_story(letter, change):
    pk = letter(status="RETRYING", come_backs=7)
    execute(change, pk)
    assert come_backs(pk) == 0


@pytest.mark.parametrize(("come_backs", "most", "is_so"), [(5, 5, True), (4, 5, False), (9, 0, False)])
def test_the_rule_is_one_expression_of_the_database(db, come_backs, most, is_so):
    assert value("SELECT dead_letter_keeps_coming(%s, %s)", come_backs, most) is is_so
