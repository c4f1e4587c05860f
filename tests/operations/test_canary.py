"""Canary: a few first; what they become decides about the rest."""

import json

import pytest

from dlqconsole.core import messages as queue_messages
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation, Stage
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = {"canary": {"probes": 5, "threshold": 10, "watch_seconds": 60}}


@pytest.fixture(autouse=True)
def no_rest(monkeypatch):
    monkeypatch.setattr(run, "WATCH_SECONDS", 0.0)


def handle(*, fail: int = 0, limit: int = 1000) -> int:
    """Be the consumer: take what is there, and let the first so many fail again."""
    taken = sorted(queue_messages.claim("order.created", limit, "consumer", 60), key=lambda claim: claim.id)
    ids = [claim.id for claim in taken]
    back = column("SELECT dlq_event_id FROM message_queue WHERE id = ANY (%s) ORDER BY id", ids)[:fail]
    execute(
        "UPDATE dlq_events SET status = 'PENDING'"
        f" WHERE status = 'REVIVED' AND id = ANY (ARRAY{back}::bigint[])"
    )
    execute(
        "UPDATE dlq_events SET status = 'SUCCEEDED' WHERE status = 'REVIVED' AND id IN ("
        f"SELECT dlq_event_id FROM message_queue WHERE id = ANY (ARRAY{ids}::bigint[]))"
    )
    execute(f"DELETE FROM message_queue WHERE id = ANY (ARRAY{ids}::bigint[])")
    return len(ids)


def step(operation: Operation) -> Operation:
    run.run(operation.pk, 5)
    operation.refresh_from_db()
    return operation


def test_only_the_probes_are_moved_before_they_are_watched(letters):
    ids = letters(300)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    assert (operation.status, operation.stage, operation.done) == ("running", Stage.PROBES, 5)
    assert operation.note == "Watches what becomes of the canary (probes)."
    probes = operation.probes
    assert {min(ids), max(ids)} <= set(probes)
    assert statuses() == {"REVIVED": 5, "PENDING": 295}


def test_the_largest_is_among_the_probes(letters):
    letters(50)
    (large,) = letters(1, payload=json.dumps({"text": "x" * 300_000}))
    letters(50)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    assert large in operation.probes


def test_a_healthy_consumer_lets_it_ramp_to_the_end(letters):
    letters(300)
    operation = ask("revive", filter={}, parameters=CANARY)
    moved = []
    while step(operation).status == "running":
        moved.append(operation.done)
        handle()
    assert counts(operation) == ("completed", 300, 300, 0, 0)
    # 1 % of 300 are fewer than the probes, so that stage moves nothing more
    assert sorted(set(moved)) == [5, 30]
    trail = column("SELECT action FROM audit_log WHERE operation_id = %s AND actor = 'canary'", operation.pk)
    assert trail == ["advance"] * 3


def test_a_failing_consumer_halts_it_and_nothing_else_has_moved(letters):
    letters(300)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    handle(fail=1)
    step(operation)
    assert operation.status == "halted"
    assert operation.note == "Halted: more than 10 % failed again. The rest was not moved."
    detail = json.loads(column("SELECT detail::text FROM audit_log WHERE action = 'halt'")[0])
    assert (detail["succeeded"], detail["failed_again"], detail["remaining"]) == (4, 1, 295)
    assert statuses() == {"PENDING": 296, "SUCCEEDED": 4}
    step(operation)
    assert (operation.status, operation.done) == ("halted", 5)


def test_nobody_handling_the_probes_halts_it_too(letters):
    letters(100)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    execute("UPDATE operations SET watch_until = clock_timestamp()")
    step(operation)
    assert operation.status == "halted"
    assert "Is a consumer running?" in operation.note
    assert operation.done == 5


def test_a_paused_queue_is_named_as_the_reason(letters):
    letters(30)
    execute("INSERT INTO queues (name, paused) VALUES ('order.created', true)")
    operation = step(ask("revive", filter={}, parameters=CANARY))
    execute("UPDATE operations SET watch_until = clock_timestamp()")
    assert "The queue order.created is paused." in step(operation).note


def test_a_queue_whose_consumers_have_no_handler_is_named_with_the_type(letters):
    letters(30)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    queue_messages.put_back(queue_messages.claim("order.created", 10, "consumer", 60), "order.created", 60)
    execute("UPDATE operations SET watch_until = clock_timestamp()")
    assert "No consumer of order.created has a handler for order.created." in step(operation).note


def test_it_halts_in_the_last_stage_as_well(letters, settings, monkeypatch):
    settings.DLQ_OPERATION_PAGE = 20
    monkeypatch.setattr("dlqconsole.operations.work.canary.LOOK_SECONDS", 0.0)
    letters(400)
    operation = ask("revive", filter={}, parameters=CANARY)
    while step(operation).stage != Stage.SECOND:
        handle()
    handle()
    operation.refresh_from_db()
    execute(f"UPDATE operations SET stage = 3, watch_until = NULL WHERE id = {operation.pk}")
    execute(
        "UPDATE dlq_events SET status = 'PENDING' WHERE id IN (SELECT dead_letter_id FROM operation_items"
        " WHERE status = 'done' ORDER BY 1 LIMIT 20)"
    )
    step(operation)
    assert operation.status == "halted"
    assert operation.remaining > 0


def halted(letters, number: int) -> Operation:
    letters(number)
    operation = step(ask("revive", filter={}, parameters=CANARY))
    handle(fail=5)
    assert step(operation).status == "halted"
    return operation


def test_a_person_may_go_on_in_spite_of_it_for_a_reason(letters):
    operation = halted(letters, 50)
    with pytest.raises(OperationRefused, match="Say why"):
        controls.resume(operation.pk, "bob")
    assert controls.resume(operation.pk, "bob", "the five were odd")
    assert column("SELECT reason FROM audit_log WHERE action = 'resume'") == ["the five were odd"]
    step(operation)
    assert counts(operation)[:3] == ("completed", 50, 50)


def test_a_person_may_probe_again_and_only_the_new_probes_count(letters):
    operation = halted(letters, 300)
    first = operation.probes
    assert controls.probe(operation.pk, "bob")
    step(operation)
    assert (operation.status, operation.stage, operation.done) == ("running", Stage.PROBES, 10)
    assert not set(first) & set(operation.probes)
    while step(operation).status == "running":
        handle()
    assert counts(operation)[:3] == ("completed", 300, 300)
    assert not controls.probe(operation.pk, "bob")


def test_new_probes_that_fail_halt_it_again(letters):
    operation = halted(letters, 300)
    controls.probe(operation.pk, "bob")
    step(operation)
    handle(fail=5)
    assert step(operation).status == "halted"
    assert (operation.done, operation.remaining) == (10, 290)


def test_order_is_not_broken_by_probes(letters):
    ids = letters(40, group_key="customer-7")
    operation = step(ask("revive", filter={}, parameters=CANARY))
    assert operation.probes == ids[:5]


def test_probes_that_nobody_may_move_do_not_stop_it(letters):
    letters(20, status="SUCCEEDED")
    operation = ask("revive", filter={}, parameters=CANARY)
    for _ in range(6):
        step(operation)
    assert counts(operation) == ("completed", 20, 0, 20, 0)


def test_a_retry_is_judged_by_its_own_outcomes(letters):
    letters(60, payload='{"do": "business"}')
    operation = step(ask("retry", filter={}, parameters=CANARY))
    assert operation.status == "halted"
    assert (operation.failed, operation.remaining) == (5, 55)
