"""A retry of what nobody has a handler for: told beforehand, skipped with the reason, nothing is changed."""

import json

import pytest
from django.core.management import call_command

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.known_handlers import WORKER, ProcessHeartbeat
from dlqconsole.engine.models import Attempt
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import ReasonCount
from dlqconsole.operations.requests.preview import Ineligible, preview
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work
from tests.plain_sql import column, rows

pytestmark = pytest.mark.django_db(transaction=True)

ALL = Matching(DeadLetterFilter())
LOST = "no handler is declared for event type 'order.lost'"


def whole_rows():
    return [json.loads(row[0]) for row in rows("SELECT to_jsonb(d) FROM dlq_events d ORDER BY id")]


def test_two_hundred_without_a_handler_are_skipped_and_stay_as_they_were(letters):
    letters(200, "order.lost")
    before = whole_rows()
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 200, 0, 200, 0)
    assert receipt.outcomes(operation.pk) == [ReasonCount("skipped", LOST, 200)]
    assert whole_rows() == before
    assert not Attempt.objects.exists()


def test_the_preview_tells_them_and_the_receipt_agrees(letters):
    letters(2)
    letters(3, "order.lost")
    letters(1, "order.lost", status="DISCARDED")
    found = preview("retry", ALL)
    assert (found.total, found.eligible) == (6, 2)
    assert found.unhandled == (Ineligible("", 3, LOST),)
    assert sum(row.count for row in found.ineligible) == 4
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 6, 2, 4, 0)


def test_a_preview_of_what_runs_no_handler_does_not_mind(letters):
    letters(3, "order.lost")
    assert preview("revive", ALL).eligible == 3


def test_many_types_without_a_handler_are_told_together(letters):
    for number in range(8):
        letters(number + 1, f"order.lost.{number}")
    found = preview("retry", ALL).unhandled
    assert [row.count for row in found] == [8, 7, 6, 5, 4, 6]
    assert found[-1].why == "no handler is declared for 3 other event types"


def test_the_command_line_tells_them_beforehand_and_the_outcome_agrees(letters, capsys, monkeypatch):
    letters(2)
    letters(3, "order.lost")
    call_command("deadletters", "retry", "--all", "--because", "a try")
    assert f"3 will be skipped: {LOST}." in capsys.readouterr().err
    work()
    assert statuses() == {"SUCCEEDED": 2, "PENDING": 3}


def test_a_payload_that_names_a_type_with_a_handler_is_of_that_type_and_tried(letters):
    event = '{"specversion": "1.0", "id": "1", "source": "s", "type": "order.created", "data": {}}'
    letters(1, "undecodable", event, status="QUARANTINED")
    assert column("SELECT event_type || ' on ' || queue FROM dlq_events") == ["order.created on undecodable"]
    assert preview("retry", ALL).eligible == 1
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 1, 1, 0, 0)


def test_bytes_that_name_a_type_without_one_are_given_back_as_they_were(letters):
    event = '{"specversion": "1.0", "id": "1", "source": "s", "type": "order.lost", "data": {}}'
    letters(1, "order.created", None, payload_raw=event.encode(), status="EXHAUSTED", retry_count=7)
    [before] = whole_rows()
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 1, 0, 1, 0)
    assert receipt.items(operation.pk)[0].reason == LOST
    [after] = whole_rows()
    assert {name for name in before if before[name] != after[name]} <= {"version", "updated_at"}


def test_a_worker_without_the_handlers_skips_nothing_that_another_worker_can_handle(letters, started_with):
    letters(2)
    letters(3, "order.lost")
    ProcessHeartbeat(WORKER).beat()
    started_with("")
    operation = ask("retry", filter={})
    run.run(operation.pk)
    assert counts(operation) == ("running", 5, 0, 3, 0)
    assert "trying again" in operation.note
    started_with("tests.sample_handlers")
    work()
    assert counts(operation) == ("completed", 5, 2, 3, 0)
    assert column("SELECT DISTINCT event_type FROM dlq_events WHERE status = 'SUCCEEDED'") == [
        "order.created"
    ]


def test_a_worker_that_is_alone_without_handlers_fails_nothing(letters, started_with):
    letters(4)
    before = whole_rows()
    started_with("")
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 4, 0, 4, 0)
    assert whole_rows() == before
