"""Why a dead letter is not retried now: always a sentence."""

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries.run import run
from dlqconsole.retries.why import Circumstances, answer, why_not_counts
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def _why(ids: list[int]) -> str:
    return answer(DeadLetter.objects.get(pk=ids[0]), Circumstances.look()).sentence


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"error_category": "BUSINESS"}, "BUSINESS failures are not retried by machine"),
        ({"error_category": "PERMANENT"}, "PERMANENT failures are not retried by machine"),
        ({"status": "EXHAUSTED", "retry_count": 240}, "All its tries are used (240)"),
        ({"status": "DISCARDED"}, "A person discarded it"),
        ({"status": "QUARANTINED"}, "No machine touches it by itself; a person may."),
        ({"status": "SUCCEEDED"}, "It has succeeded"),
        ({"status": "RETRYING", "owner": "host:1:a"}, "runs just now, on host:1:a"),
        ({"retry_count": 240}, "It has used its 240 tries"),
        ({"retry_count": 1, "max_retries": 1}, "It has used its 1 tries"),
        ({"retry_after": "2090-01-02T03:04:05Z"}, "It waits until 2090-01-02 03:04:05 UTC for try 1 of 240"),
        ({}, "It is due: the next run begins at the next tick"),
    ],
)
def test_every_state_has_its_sentence(letters, columns, sentence):
    assert sentence in _why(letters(1, **columns))


def test_between_two_runs_the_next_is_named(letters):
    run()
    assert "It is due: the next run begins at 20" in _why(letters(1))


def test_with_the_schedule_off_it_says_so(letters, settings):
    settings.DLQ_RETRY_ENABLED = False
    assert "switched off" in _why(letters(1))


def test_a_revived_letter_says_where_its_message_is(letters):
    ids = letters(1, queue="orders")
    (message_id,) = column("SELECT dead_letter_revive(%s)", ids[0])
    assert _why(ids) == f"It was revived: message {message_id} on queue orders waits for a consumer."
    execute("UPDATE message_queue SET status = 'processing', owner = 'c1'")
    assert "is being handled by c1" in _why(ids)
    execute("UPDATE message_queue SET status = 'scheduled'")
    assert "is tried again at" in _why(ids)
    execute("UPDATE message_queue SET status = 'held'")
    assert "is held back until the undo window" in _why(ids)
    execute("UPDATE message_queue SET status = 'scheduled', unhandled_type = 'orders'")
    assert "waits for a consumer with a handler for orders" in _why(ids)
    execute("DELETE FROM message_queue")
    assert "for try 1 of 240" in _why(ids)  # it is back where it was


def test_the_counts_add_up_to_all_that_is_not_finished_with(letters):
    letters(2)
    letters(3, error_category="BUSINESS")
    letters(4, retry_after="2090-01-01T00:00:00Z")
    letters(1, retry_count=240)
    letters(1, status="DISCARDED")
    letters(5, status="SUCCEEDED")
    found = {why.code: why.count for why in why_not_counts()}
    assert found == {"DUE": 2, "WAITS": 4, "USED_UP": 1, "BUSINESS": 3, "DISCARDED": 1}
    (waits,) = [why for why in why_not_counts() if why.code == "WAITS"]
    assert waits.earliest.year == 2090
