"""An operation can be slow, wait, and go on; its numbers add up all the while."""

import time
from uuid import uuid4

import pytest

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import ItemStatus
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import ItemsOf
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work
from tests.plain_sql import column

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_rate_is_not_exceeded(letters):
    letters(100)
    operation = ask("revive", filter={}, rate=50)
    started = time.monotonic()
    work()
    assert counts(operation)[:3] == ("completed", 100, 100)
    took = time.monotonic() - started
    # the first page comes at once, and a second's delay may be made up for
    assert took > 0.9
    moments = column("SELECT revived_at FROM dlq_events ORDER BY revived_at")
    assert (moments[-1] - moments[0]).total_seconds() > 0.9


def test_another_worker_keeps_the_rate_too(letters):
    letters(40)
    operation = ask("revive", filter={}, rate=10)
    run.run(operation.pk, 0.6)
    run.run(operation.pk, 0.6)
    operation.refresh_from_db()
    assert operation.done <= 10 * 2.2 + 2


def test_a_paused_operation_rests_until_somebody_resumes_it(letters):
    letters(60)
    operation = ask("discard", filter={}, rate=20)
    run.run(operation.pk, 1)
    assert controls.pause(operation.pk, "bob")
    assert not controls.pause(operation.pk, "bob")
    run.take_up(1)
    status, _selected, done, *_ = counts(operation)
    assert status == "paused"
    assert 0 < done < 60
    time.sleep(0.3)
    run.take_up(1)
    assert counts(operation)[2] == done
    assert controls.resume(operation.pk, "bob")
    work()
    assert counts(operation) == ("completed", 60, 60, 0, 0)


def test_a_worker_in_the_middle_of_it_stops_for_a_pause(letters, monkeypatch):
    letters(10)
    operation = ask("discard", filter={}, rate=4)
    naps = []

    def pause_meanwhile(seconds):
        naps.append(seconds)
        controls.pause(operation.pk, "bob")

    monkeypatch.setattr(run.time, "sleep", pause_meanwhile)
    run.run(operation.pk, 5)
    monkeypatch.undo()
    operation.refresh_from_db()
    assert (operation.status, operation.done, operation.lease_token) == ("paused", 1, None)


def test_a_paused_operation_can_be_cancelled(letters):
    letters(30)
    operation = ask("discard", filter={}, rate=4)
    run.run(operation.pk, 0.5)
    controls.pause(operation.pk, "bob")
    run.take_up(0.5)
    assert service.cancel(operation.pk, "bob")
    status, selected, done, *_ = counts(operation)
    assert status == "cancelled"
    assert statuses() == {"DISCARDED": done, "PENDING": selected - done}
    assert not controls.resume(operation.pk, "bob")


@pytest.mark.parametrize("rate", [0, -1, 100_001])
def test_a_rate_that_makes_no_sense_is_refused(letters, rate):
    letters(1)
    with pytest.raises(OperationRefused, match="The rate must be between 1 and 100,000"):
        ask("revive", filter={}, rate=rate)


@pytest.mark.parametrize(
    ("kind", "parameters", "sentence"),
    [
        ("revive", {"undo_seconds": "soon"}, "whole number"),
        ("revive", {"undo_seconds": 86_401}, "between 0 and 86,400"),
        ("revive", {"to_queue": "x" * 256}, "the limit is 255"),
        ("revive", {"to_queue": "pgmq:orders"}, "another system"),
        ("revive", {"canary": {"probes": 0}}, "between 1 and 100"),
        ("revive", {"canary": {"birds": 3}}, "A canary has"),
        ("revive", {"no_order": "perhaps"}, "yes or no"),
        ("revive", {"wings": 2}, "has no parameter “wings”"),
        ("discard", {"queue": "orders"}, "has no parameter “queue”"),
        ("edit", {}, "needs a recipe"),
        ("reclassify", {"to_category": "BAD"}, "one of TRANSIENT"),
        ("export", {"format": "exe"}, "csv, csv_bom, jsonl, xlsx"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_with_a_sentence(letters, kind, parameters, sentence):
    letters(1)
    with pytest.raises(OperationRefused, match=sentence):
        ask(kind, filter={}, parameters=parameters)


def test_to_another_queue_and_without_order(letters):
    letters(3, group_key="customer-7")
    ask("revive", filter={}, parameters={"to_queue": "orders-again", "no_order": True})
    work()
    assert column("SELECT DISTINCT queue FROM message_queue") == ["orders-again"]
    assert column("SELECT DISTINCT group_key FROM message_queue") == [None]


def test_in_order_the_messages_of_a_group_wait_for_each_other(letters):
    letters(3, group_key="customer-7")
    letters(2)
    ask("revive", filter={})
    work()
    assert column("SELECT status FROM message_queue WHERE group_key = 'customer-7' ORDER BY id") == [
        "pending", "waiting", "waiting",
    ]  # fmt: skip


def test_only_the_failed_ones_are_run_again(letters):
    letters(3, payload='{"do": "business"}')
    letters(2)
    first = ask("retry", filter={})
    work()
    assert counts(first)[2:] == (2, 0, 3)
    failed_items = ItemsOf(first.pk, ItemStatus.FAILED)
    request = OperationRequest("retry", failed_items, "it is mended", {}, Count(3), key=uuid4())
    again = service.request_operation(request, actor="bob")
    work()
    status, selected, done, _skipped, failed = counts(again)
    assert (status, selected, done + failed) == ("completed", 3, 3)
    assert again.filter_words == f"the dead letters of operation {first.pk} (retry) that failed"
