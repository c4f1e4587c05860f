"""Discard sets aside, restore takes back; nothing is lost on the way."""

import pytest

from dlqconsole.operations.receipts import receipt
from tests.operations.conftest import ask, counts, statuses, work

pytestmark = pytest.mark.django_db(transaction=True)


def test_discarded_letters_come_back_by_a_restore(letters):
    ids = letters(3) + letters(2, status="EXHAUSTED") + letters(1, status="QUARANTINED")
    discarded = ask("discard", ids=ids)
    work()
    assert counts(discarded) == ("completed", 6, 6, 0, 0)
    assert statuses() == {"DISCARDED": 6}
    restored = ask("restore", filter={"status": "DISCARDED"}, expected=6)
    work()
    assert counts(restored) == ("completed", 6, 6, 0, 0)
    assert statuses() == {"PENDING": 6}
    history = receipt.operations_of(ids[0])
    assert [(item.operation.kind, item.status) for item in history] == [
        ("restore", "done"),
        ("discard", "done"),
    ]


def test_a_second_discard_says_who_was_first(letters):
    letters(2)
    first = ask("discard", filter={})
    work()
    second = ask("discard", filter={}, actor="bob")
    work()
    assert counts(second) == ("completed", 2, 0, 2, 0)
    assert receipt.outcomes(second.pk)[0].reason == f"is already DISCARDED (operation {first.pk})"


def test_what_is_not_discarded_cannot_be_restored(letters):
    letters(2)
    operation = ask("restore", filter={})
    work()
    assert counts(operation) == ("completed", 2, 0, 2, 0)
    assert receipt.outcomes(operation.pk)[0].reason == "is not discarded: it is PENDING"
