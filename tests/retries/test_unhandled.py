"""What nobody has a handler for: the schedule leaves it exactly as it is, and says so."""

import json

import pytest

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import WORKER, ProcessHeartbeat
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.retries import run
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.why import Circumstances, answer, why_not_counts
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute, rows

pytestmark = pytest.mark.django_db(transaction=True)

README = (
    "INSERT INTO dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_count,"
    " retry_after) VALUES ('order.lost', '{\"order_id\": 1}', 'connection refused: billing', 'Traceback …',"
    " 'PENDING', 0, now())"
)


@pytest.fixture
def another_worker(started_with):
    """Another worker runs now, with the sample handlers; this one has none."""
    ProcessHeartbeat(WORKER).beat()
    started_with("")


def many(number):
    """The same statement for so many."""
    return README.replace("VALUES (", "SELECT ").removesuffix(")") + f" FROM generate_series(1, {number})"


def whole_rows():
    return [json.loads(row[0]) for row in rows("SELECT to_jsonb(d) FROM dlq_events d ORDER BY id")]


def test_a_failure_without_a_handler_is_what_it_was_after_a_run():
    execute(README)
    before = whole_rows()
    done = run.run()
    assert (done.claimed, done.failed, done.exhausted) == (0, 0, 0)
    assert whole_rows() == before
    assert DeadLetter.objects.get().error_reason == "connection refused: billing"
    assert not Attempt.objects.exists()


def test_nothing_is_exhausted_that_nobody_tried():
    execute(README.replace("'PENDING', 0", "'PENDING', 240"))
    assert run.run().exhausted == 0
    [letter] = DeadLetter.objects.all()
    assert letter.status == "PENDING"
    assert "has a handler for order.lost" in answer(letter, Circumstances.look()).sentence
    assert [reason.code for reason in why_not_counts()] == ["NO_HANDLER"]


def test_what_has_a_handler_is_retried_however_much_stands_before_it(letters, settings):
    settings.DLQ_RETRY_BATCH_SIZE = 3
    execute(many(20))
    letters(5)
    done = run.run()
    assert (done.claimed, done.succeeded) == (5, 5)
    assert statuses() == {"PENDING": 20, "SUCCEEDED": 5}


def test_the_longest_due_of_a_type_come_first(letters, monkeypatch, settings):
    settings.DLQ_RETRY_BATCH_SIZE = 1
    letters(5)
    execute("UPDATE dlq_events SET retry_after = now() - id % 7 * interval '1 min'")
    expected = column("SELECT id FROM dlq_events ORDER BY retry_after, id")
    handled = []
    original = dead_letters.handle_claim
    monkeypatch.setattr(
        dead_letters, "handle_claim", lambda claim: handled.append(claim.id) or original(claim)
    )
    run.run()
    assert handled == expected


def test_bytes_that_name_another_type_than_their_row_are_given_back_once(letters):
    event = '{"specversion": "1.0", "id": "1", "source": "s", "type": "order.lost", "data": {}}'
    letters(1, payload=None, payload_raw=event.encode())
    letters(1)
    [before, _] = whole_rows()
    done = run.run()
    assert (done.claimed, done.succeeded, done.failed) == (1, 1, 0)
    [after, _] = whole_rows()
    assert {name for name in before if before[name] != after[name]} <= {"version", "updated_at"}
    assert not Attempt.objects.filter(dlq_event_id=before["id"]).exists()


def test_the_reasons_say_how_many_have_no_handler_and_of_which_types(letters):
    execute(many(12))
    letters(2)
    letters(3, error_category="PERMANENT")
    execute("UPDATE dlq_events SET event_type = 'order.gone' WHERE error_category = 'PERMANENT'")
    found = {why.code: (why.count, why.why) for why in why_not_counts()}
    assert found["DUE"][0] == 2
    assert found["PERMANENT"][0] == 3
    assert found["NO_HANDLER"] == (
        12,
        "have no handler (order.lost): left until DLQ_HANDLERS has one or a policy revives them",
    )
    letter = DeadLetter.objects.filter(event_type="order.lost").first()
    assert answer(letter, Circumstances.look()).sentence == (
        "No schedule worker has a handler for order.lost, so the schedule leaves it. It takes it once"
        " DLQ_HANDLERS has one, a program consumes its queue by SQL, or a policy says *revive*."
    )
    letter.queue = "celery:shop"
    assert "Revive it, and celery:shop gets it back" in answer(letter, Circumstances.look()).sentence
    unknown = DeadLetter.objects.filter(event_type="order.gone").first()
    assert "PERMANENT failures are not retried by machine" in answer(unknown, Circumstances.look()).sentence
    assert "has a handler for order.gone" in answer(unknown, Circumstances.look()).sentence


def test_what_a_running_worker_says_counts_more_than_what_this_process_has(letters, another_worker):
    letters(2)
    assert handling.registry().event_types == ()
    assert [why.code for why in why_not_counts()] == ["DUE"]
    execute("UPDATE handler_reports SET seen_at = now() - interval '3 min'")
    assert [why.code for why in why_not_counts()] == ["NO_HANDLER"]


def test_with_wrong_handlers_nobody_claims_to_know(letters, started_with):
    started_with("no.such.module")
    letters(2)
    assert known_handlers.for_retries() is None
    assert [why.code for why in why_not_counts()] == ["DUE"]


def test_a_worker_without_the_handlers_leaves_its_turn_to_one_that_has_them(
    letters, another_worker, started_with
):
    letters(3)
    assert run.run_when_due() is None
    assert not RetryRun.objects.exists()
    assert statuses() == {"PENDING": 3}
    started_with("tests.sample_handlers")
    assert run.run_when_due().succeeded == 3


def test_a_worker_with_some_of_the_handlers_leaves_the_rest_of_the_turn(letters, started_with):
    ProcessHeartbeat(WORKER).beat()
    started_with("tests.faults.handlers")
    ids = letters(3)
    own = handling.registry().event_types[0]
    execute("UPDATE dlq_events SET event_type = %s WHERE id = %s", own, ids[0])
    done = run.run_when_due()
    assert done.claimed == 1
    assert (done.more_due, done.note) == (True, "left what is for another worker's handlers to that one")
    assert run.run_when_due() is None
    started_with("tests.sample_handlers")
    assert run.run_when_due().claimed == 2
