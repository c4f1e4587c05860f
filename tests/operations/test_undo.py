"""Undo: what an operation did is taken back, as far as nobody has gone on with it."""

import time

import pytest

from dlqconsole.core import messages as queue_messages
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.work import releasing, run
from dlqconsole.operations.work.releasing import release_due
from tests.operations.conftest import ask, counts, messages, statuses, undo, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

EVERYTHING = "SELECT to_jsonb(e) - 'version' - 'updated_at' - 'operation_id' FROM dlq_events e ORDER BY id"
BRING_FORWARD = "UPDATE operations SET undo_until = clock_timestamp() - interval '1 second'"


def release() -> None:
    release_due(time.monotonic() + 10)


def test_held_back_messages_cannot_be_claimed_before_the_window_has_passed(letters):
    letters(5)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    assert counts(operation)[:3] == ("completed", 5, 5)
    release()
    assert queue_messages.claim("order.created", 10, "consumer", 60) == []
    execute(BRING_FORWARD)
    release()
    assert len(queue_messages.claim("order.created", 10, "consumer", 60)) == 5
    operation.refresh_from_db()
    assert operation.released_at is not None


def test_held_back_messages_of_a_group_are_released_in_its_order(letters):
    letters(3, group_key="customer-7")
    ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    execute(
        "INSERT INTO message_queue (queue, payload, group_key) VALUES ('order.created', '{}', 'customer-7')"
    )
    assert column("SELECT status FROM message_queue ORDER BY id") == ["held", "held", "held", "waiting"]
    assert queue_messages.claim("order.created", 10, "consumer", 60) == []
    assert not queue_messages.unblock_forgotten("order.created")
    execute(BRING_FORWARD)
    release()
    assert column("SELECT status FROM message_queue ORDER BY id") == [
        "pending",
        "waiting",
        "waiting",
        "waiting",
    ]
    for _ in range(4):
        [claim] = queue_messages.claim("order.created", 10, "consumer", 60)
        queue_messages.complete([claim])
    assert messages() == (0, 0)


def test_where_groups_are_labels_all_held_back_messages_are_released_at_once(letters):
    execute("INSERT INTO queues (name, fifo_groups) VALUES ('order.created', false)")
    letters(3, group_key="customer-7")
    ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    execute(BRING_FORWARD)
    release()
    assert set(column("SELECT status FROM message_queue")) == {"pending"}


def test_the_clock_starts_when_the_operation_is_over(letters):
    letters(5)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60}, rate=5)
    work()
    (seconds,) = column(
        "SELECT extract(epoch FROM undo_until - finished_at) FROM operations WHERE id = %s", operation.pk
    )
    assert 59 < seconds <= 60.5


def test_all_of_a_revive_is_pulled_back_to_exactly_what_it_was(letters, settings):
    settings.DLQ_OPERATION_PAGE = 7
    letters(10, status="PENDING")
    letters(10, status="EXHAUSTED", revive_count=2, revived_at="2026-01-01T00:00:00Z")
    letters(10, status="QUARANTINED")
    before = column(EVERYTHING)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    assert statuses() == {"REVIVED": 30}
    taken_back = undo(operation)
    work()
    assert counts(taken_back) == ("completed", 30, 30, 0, 0)
    assert column(EVERYTHING) == before
    assert messages() == (0, 0)


def test_what_a_consumer_has_taken_stays_taken_and_is_said_so(letters):
    letters(10)
    operation = ask("revive", filter={})
    work()
    taken = queue_messages.claim("order.created", 4, "consumer", 60)
    taken_back = undo(operation)
    work()
    assert counts(taken_back) == ("completed", 10, 6, 4, 0)
    assert set(column("SELECT reason FROM operation_items WHERE status = 'skipped'")) == {
        "already taken by a consumer"
    }
    assert messages() == (4, 4)
    assert len(taken) == 4
    assert statuses() == {"REVIVED": 4, "PENDING": 6}


def test_the_button_has_the_number_that_nobody_has_taken(letters, operator):
    letters(4)
    operation = ask("revive", filter={})
    work()
    address = f"/operations/{operation.pk}/"
    assert " ".join(operator.get(address).content.decode().split()).count("Undo 4 <") == 1
    taken = queue_messages.claim("order.created", 3, "consumer", 60)
    assert operator.get(address).context["undo"]["number"] == 1
    queue_messages.complete(taken)
    assert operator.get(address).context["undo"]["number"] == 1
    queue_messages.complete(queue_messages.claim("order.created", 1, "consumer", 60))
    text = operator.get(address).content.decode()
    assert "Consumers have taken all of its messages" in text
    assert f'action="{address}undo/"' not in text


def test_the_button_of_a_discard_has_the_number_of_all(letters, operator):
    letters(3)
    operation = ask("discard", filter={})
    work()
    text = " ".join(operator.get(f"/operations/{operation.pk}/").content.decode().split())
    assert "Undo 3 <" in text


def test_what_came_back_meanwhile_is_left_alone(letters):
    ids = letters(3)
    operation = ask("revive", filter={})
    work()
    execute(f"DELETE FROM message_queue WHERE dlq_event_id = {ids[0]}")
    execute(f"UPDATE dlq_events SET status = 'PENDING' WHERE id = {ids[0]}")
    taken_back = undo(operation)
    work()
    assert counts(taken_back) == ("completed", 3, 2, 1, 0)
    assert statuses() == {"PENDING": 3}


def test_a_cancelled_revive_is_taken_back_too(letters, settings):
    settings.DLQ_OPERATION_PAGE = 4
    letters(12)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60}, rate=4)
    run.run(operation.pk, 1.5)
    controls.pause(operation.pk, "alice")
    assert service.cancel(operation.pk, "alice")
    work()
    status, selected, done, _skipped, _failed = counts(operation)
    assert status == "cancelled"
    assert 0 < done < selected
    taken_back = undo(operation)
    work()
    assert counts(taken_back) == ("completed", done, done, 0, 0)
    assert statuses() == {"PENDING": 12}


def test_an_undo_under_way_keeps_the_messages_from_being_released(letters):
    letters(5)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    taken_back = undo(operation)
    execute(BRING_FORWARD)
    release()
    assert queue_messages.claim("order.created", 10, "consumer", 60) == []
    work()
    assert counts(taken_back) == ("completed", 5, 5, 0, 0)


def test_an_undo_stops_a_release_that_has_begun(letters, monkeypatch):
    monkeypatch.setattr(releasing, "PAGE_ROWS", 2)
    letters(6)
    operation = ask("revive", filter={}, parameters={"undo_seconds": 60})
    work()
    execute(BRING_FORWARD)
    assert not releasing._page(operation.pk, 0, 2, None)["over"]
    taken = queue_messages.claim("order.created", 10, "consumer", 60)
    taken_back = undo(operation)
    assert releasing._page(operation.pk, 0, 2, None) is None
    work()
    assert len(taken) == 2
    assert counts(taken_back) == ("completed", 6, 4, 2, 0)


@pytest.mark.parametrize("status", ["PENDING", "EXHAUSTED", "QUARANTINED"])
def test_a_discard_is_undone_fully(letters, status):
    letters(6, status=status)
    before = column(EVERYTHING)
    operation = ask("discard", filter={})
    work()
    assert statuses() == {"DISCARDED": 6}
    undo(operation)
    work()
    assert column(EVERYTHING) == before


def test_a_restore_is_undone(letters):
    letters(3, status="DISCARDED")
    operation = ask("restore", filter={})
    work()
    undo(operation)
    work()
    assert statuses() == {"DISCARDED": 3}


def test_a_message_behind_a_pulled_one_of_its_group_goes_on(letters):
    letters(1, group_key="customer-7")
    operation = ask("revive", filter={})
    work()
    execute(
        "INSERT INTO message_queue (queue, payload, group_key) VALUES ('order.created', '{}', 'customer-7')"
    )
    assert column("SELECT status FROM message_queue ORDER BY id") == ["pending", "waiting"]
    undo(operation)
    work()
    assert column("SELECT status FROM message_queue") == ["pending"]


def test_what_cannot_be_taken_back_is_refused_with_a_sentence(letters):
    letters(2)
    operation = ask("revive", filter={}, rate=1)
    with pytest.raises(OperationRefused, match="is not over: cancel it first"):
        undo(operation)
    work()
    undo(operation)
    with pytest.raises(OperationRefused, match="takes it back already"):
        undo(operation)
    work()
    with pytest.raises(OperationRefused, match="takes it back already"):
        undo(operation)
    with pytest.raises(OperationRefused, match="There is no operation 0"):
        controls.undo(0, "alice", "why", operation.request_key)


def test_only_one_of_two_undo_clicks_pulls_back(letters):
    letters(8)
    operation = ask("revive", filter={})
    work()
    first = undo(operation)
    operation.refresh_from_db()
    assert operation.undone_by_id == first.pk
    work()
    assert messages() == (0, 0)
    assert statuses() == {"PENDING": 8}


def test_a_bulk_edit_is_taken_back(letters):
    letters(4, payload='{"n": 1}')
    recipe = '[{"op": "replace", "path": "/n", "value": 2}]'
    operation = ask("edit", filter={}, parameters={"recipe": recipe})
    work()
    assert counts(operation)[:3] == ("completed", 4, 4)
    assert set(column("SELECT payload ->> 'n' FROM dlq_events")) == {"2"}
    undo(operation)
    work()
    assert set(column("SELECT payload ->> 'n' FROM dlq_events")) == {"1"}
    assert column("SELECT max(number) FROM payload_versions") == [2]


def test_the_receipt_tells_what_became_of_the_revived(letters):
    letters(10)
    operation = ask("revive", filter={})
    work()
    first_three = "SELECT id FROM dlq_events ORDER BY id LIMIT 3"
    execute(f"UPDATE dlq_events SET status = 'SUCCEEDED' WHERE id IN ({first_three})")
    execute(
        "UPDATE dlq_events SET status = 'PENDING' WHERE id IN ("
        "SELECT id FROM dlq_events WHERE status = 'REVIVED' ORDER BY id LIMIT 2)"
    )
    undo(operation)
    work()
    operation.refresh_from_db()
    assert receipt.move_outcomes(operation) == receipt.MoveOutcomes(
        failed_again=2, succeeded=3, under_way=0, pulled_back=5
    )
