"""Revive: back on the queue, once."""

import json

import pytest

from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.operations.models import OperationItem
from dlqconsole.operations.receipts import receipt
from tests.accounts import ALICE
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.plain_sql import column, execute, value

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_the_filter_matched_is_put_back_on_its_queue(letters, settings):
    settings.DLQ_OPERATION_PAGE = 7
    letters(20, queue="orders")
    letters(5, event_type="other")
    operation = ask("revive", filter={"type": "order.created"}, expected=20)
    work()
    assert counts(operation) == ("completed", 20, 20, 0, 0)
    assert statuses() == {"REVIVED": 20, "PENDING": 5}
    assert messages() == (20, 20)
    assert set(column("SELECT DISTINCT queue FROM message_queue")) == {"orders"}


def test_a_dead_letter_without_a_queue_goes_to_the_queue_of_its_type(letters):
    letters(1)
    ask("revive", filter={})
    work()
    assert column("SELECT queue FROM message_queue") == ["order.created"]


def test_the_message_is_the_one_that_the_sql_function_would_make(letters):
    one, two = letters(2, payload='{"n": 12345678901234567890}', headers='{"x-death": "1", "tenant": "a"}')
    ask("revive", ids=[one])
    work()
    execute("SELECT dead_letter_revive(%s)", two)
    ours, theirs = Message.objects.order_by("id").values(
        "queue", "payload", "payload_raw", "headers", "status", "revive_seq", "priority"
    )
    ours["headers"].pop("ce_id")
    theirs["headers"].pop("ce_id")
    assert ours == theirs
    assert ours["headers"]["tenant"] == "a"


def test_bytes_that_are_no_json_go_back_as_they_came(letters):
    letter_id = value(
        "INSERT INTO dlq_events (event_type, payload_raw) VALUES ('broken', %s) RETURNING id", b"\x00\xff{"
    )
    ask("revive", ids=[letter_id])
    work()
    assert bytes(Message.objects.get().payload_raw) == b"\x00\xff{"


def test_each_item_knows_its_message(letters):
    letters(3)
    operation = ask("revive", filter={})
    work()
    for item in receipt.items(operation.pk):
        assert Message.objects.get(pk=item.message_id).dlq_event_id == item.dead_letter_id


def test_what_is_not_revivable_is_skipped_with_its_reason(letters):
    (revived,) = letters(1)
    first = ask("revive", ids=[revived])
    work()
    letters(1, status="SUCCEEDED")
    letters(2, status="DISCARDED")
    letters(1, status="EXHAUSTED")
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 5, 1, 4, 0)
    found = {(outcome.status, outcome.reason): outcome.count for outcome in receipt.outcomes(operation.pk)}
    assert found == {
        ("done", ""): 1,
        ("skipped", f"is already REVIVED (operation {first.pk})"): 1,
        ("skipped", "has already SUCCEEDED"): 1,
        ("skipped", "is DISCARDED: restore it first"): 2,
    }


def test_ticked_rows_that_are_gone_get_an_outcome_too(letters):
    ids = letters(2)
    operation = ask("revive", ids=[*ids, 999_999])
    work()
    assert counts(operation) == ("completed", 3, 2, 1, 0)
    assert OperationItem.objects.get(dead_letter_id=999_999).reason == "no longer exists"


def test_a_row_purged_after_the_selection_is_skipped(letters, monkeypatch):
    first, second = letters(2)
    operation = ask("revive", filter={})
    DeadLetter.objects.filter(pk=first).delete()
    work()
    assert counts(operation)[1:] == (1, 1, 0, 0)  # gone before the selection was made: never selected
    assert second in column("SELECT dead_letter_id FROM operation_items")


def test_later_arrivals_are_left_out_and_shown(letters):
    letters(3)
    operation = ask("revive", filter={"type": "order.created"})
    letters(2)
    work()
    assert counts(operation) == ("completed", 3, 3, 0, 0)
    assert statuses() == {"REVIVED": 3, "PENDING": 2}
    assert receipt.later_arrivals(operation) == 2


def test_a_selection_of_nothing_completes(letters):
    operation = ask("revive", filter={"type": "nobody"})
    work()
    assert counts(operation) == ("completed", 0, 0, 0, 0)


def test_a_selection_other_than_expected_is_said_on_the_receipt(letters):
    letters(3)
    operation = ask("revive", filter={}, expected=5)
    work()
    operation.refresh_from_db()
    assert "5 were shown" in operation.selection_note
    assert "3 matched" in operation.selection_note


def test_every_change_stands_in_the_audit_log(letters, settings):
    settings.DLQ_OPERATION_PAGE = 4
    ids = letters(6)
    operation = ask("revive", filter={}, expected=6, reason="billing is back")
    work()
    entries = list(AuditEntry.objects.filter(operation_id=operation.pk).order_by("id"))
    assert [entry.action for entry in entries] == ["request revive", "revive", "revive", "completed"]
    assert {entry.actor for entry in entries} == {ALICE}
    assert {entry.reason for entry in entries} == {"billing is back"}
    assert entries[1].detail == {"first": ids[0], "last": ids[3], "done": 4, "skipped": 0, "failed": 0}
    completed, pages, requested = receipt.timeline(operation.pk)
    assert (completed.pk, requested.pk) == (entries[3].pk, entries[0].pk)
    assert pages.detail == {
        "first": ids[0], "last": ids[5], "pages": 2, "done": 6, "skipped": 0, "failed": 0,
    }  # fmt: skip


def test_a_revived_letter_that_fails_again_can_be_revived_again(letters):
    (letter_id,) = letters(1)
    ask("revive", ids=[letter_id])
    work()
    DeadLetter.objects.filter(pk=letter_id).update(status="PENDING")  # as burying its message does
    ask("revive", ids=[letter_id])
    work()
    assert column("SELECT revive_seq FROM message_queue ORDER BY 1") == [1, 2]


def test_notes_of_the_earlier_failure_do_not_travel_and_the_original_keeps_them(letters):
    headers = '{"x-death-reason": "old", "dlq_file": "a.jsonl", "tenant": "acme"}'
    letters(1, headers=headers, source="shop", source_key="7")
    ask("revive", filter={})
    work()
    (sent,) = column("SELECT headers::text FROM message_queue")
    assert json.loads(sent) == {
        "tenant": "acme", "ce_type": "order.created", "ce_source": "shop", "ce_id": "7",
    }  # fmt: skip
    (kept,) = column("SELECT headers::text FROM dlq_events")
    assert json.loads(kept) == json.loads(headers)
