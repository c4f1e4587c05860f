"""A consumer in SQL says that a message failed: the same policies decide as for a consumer of ours."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.retries.models import RetryPolicy
from tests.plain_sql import execute, rows

pytestmark = pytest.mark.django_db(transaction=True)


def claim(queue="orders"):
    [(number, token)] = rows("SELECT id, token FROM queue_claim(%s)", queue)
    return number, token


def fail(number, token, reason="Timeout: billing", category="TRANSIENT"):
    outcomes = rows(
        "SELECT outcome, dead_letter_id FROM queue_fail(%s, %s, %s, %s)", number, token, reason, category
    )
    return outcomes[0] if outcomes else None


def revive(letter):
    execute("SELECT dead_letter_revive(%s)", letter)


def test_it_is_tried_again_as_often_as_its_queue_says():
    Queue.objects.create(name="orders", max_retries=1, backoff_base_seconds=0, backoff_cap_seconds=0)
    messages.send("orders", "{}")
    assert fail(*claim()) == ("retry", None)
    outcome, letter = fail(*claim())
    assert (outcome, DeadLetter.objects.get().pk) == ("dead_letter", letter)
    assert not Message.objects.exists()


def test_what_only_a_person_can_mend_is_a_dead_letter_at_once():
    messages.send("orders", "{}")
    assert fail(*claim(), category="BUSINESS")[0] == "dead_letter"


def test_who_has_lost_the_lease_changes_nothing():
    messages.send("orders", "{}")
    number, token = claim()
    Message.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    claim()
    assert fail(number, token) is None
    assert not DeadLetter.objects.exists()


def test_a_dead_letter_waits_and_ends_as_the_schedule_s_policy_says():
    RetryPolicy.objects.create(
        event_type="orders", max_retries=2, backoff="fixed", backoff_base_seconds=86_400, enabled=True
    )
    Queue.objects.create(name="orders", max_retries=0)
    messages.send("orders", "{}")
    _outcome, letter = fail(*claim())
    row = DeadLetter.objects.get()
    assert timezone.now() + timedelta(hours=23) < row.retry_after < timezone.now() + timedelta(hours=25)
    assert (row.status, row.retry_count) == ("PENDING", 1)
    for status in ("PENDING", "EXHAUSTED"):
        revive(letter)
        fail(*claim())
        row.refresh_from_db()
        assert row.status == status


def test_a_revived_one_that_fails_again_is_a_relapse_and_never_a_success():
    messages.send("orders", "{}")
    _outcome, letter = fail(*claim(), category="BUSINESS")
    revive(letter)
    fail(*claim(), reason="Refused: no such plane", category="BUSINESS")
    row = DeadLetter.objects.get()
    assert (row.status, row.come_backs, row.retry_count) == ("PENDING", 1, 2)
    assert row.error_reason == "Refused: no such plane"
    outcomes = [outcome for (outcome,) in rows("SELECT outcome FROM dlq_attempts ORDER BY id")]
    assert outcomes == ["failed", "failed"]


def test_a_category_that_there_is_none_of_is_refused_by_name():
    messages.send("orders", '{"secret": 1}')
    with pytest.raises(Exception, match="error_category 'BAD' is none of TRANSIENT") as refusal:
        fail(*claim(), category="BAD")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("how", ["queue_fail", "queue_retry", "queue_give_up"])
def test_null_is_as_if_it_had_been_left_out(how):
    """A driver sends NULL for what its program does not know."""
    messages.send("orders", "{}")
    _outcome, letter = fail(*claim(), category="BUSINESS")
    revive(letter)
    more = ", delay_seconds => 1" if how == "queue_retry" else ""
    [(outcome,)] = rows(
        f"SELECT outcome FROM {how}(%s, %s, error_reason => NULL, error_category => NULL,"
        f" error_stacktrace => NULL{more})",
        *claim(),
    )
    assert outcome == ("dead_letter" if how == "queue_give_up" else "retry")
    told = rows(
        "SELECT error_category, error_reason, error_stacktrace FROM dlq_attempts ORDER BY id DESC LIMIT 1"
    )
    assert told == [("UNKNOWN", "", "")]
