"""What became of each item: one view says it, for the page, its files, the commands and the canary."""

import pytest

from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.operations.models import Fate, Operation
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests.scope import ItemsOf
from tests.operations.conftest import ask, counts, undo, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def everything_is_seen():
    with asking_as(EVERYTHING):
        yield


def settle(letter: int, status: str, *, fails: bool = False) -> None:
    failure = ", last_failure_at = clock_timestamp(), error_reason = 'Worse: than before'" if fails else ""
    execute(f"UPDATE dlq_events SET status = '{status}'{failure} WHERE id = {letter}")


def revived(letters, number: int) -> tuple[Operation, list[int]]:
    ids = letters(number)
    operation = ask("revive", filter={})
    work()
    operation.refresh_from_db()
    return operation, ids


def fates(operation: Operation) -> dict[int | None, str]:
    return {item.dead_letter_id: item.fate for item in receipt.items(operation.pk)}


def test_each_revived_one_is_under_way_until_it_is_decided(letters):
    operation, (good, bad, coming) = revived(letters, 3)
    settle(good, "SUCCEEDED")
    settle(bad, "PENDING", fails=True)
    assert fates(operation) == {good: Fate.SUCCEEDED, bad: Fate.FAILED_AGAIN, coming: Fate.UNDER_WAY}
    (item,) = receipt.items(operation.pk, fate=Fate.FAILED_AGAIN)
    assert (item.dead_letter_id, item.reason, item.status_now) == (bad, "Worse: than before", "PENDING")


def test_who_failed_again_stays_so_whatever_heals_it_later(letters):
    operation, (bad, other) = revived(letters, 2)
    settle(bad, "PENDING", fails=True)
    settle(bad, "SUCCEEDED")
    settle(other, "PENDING", fails=True)
    again = ask("revive", filter={})
    work()
    settle(other, "SUCCEEDED")
    assert fates(operation) == {bad: Fate.FAILED_AGAIN, other: Fate.FAILED_AGAIN}
    assert fates(again)[other] == Fate.SUCCEEDED


def test_what_an_undo_pulled_back_says_so(letters):
    operation, (gone, back) = revived(letters, 2)
    settle(gone, "SUCCEEDED")
    undo(operation)
    work()
    assert fates(operation) == {gone: Fate.SUCCEEDED, back: Fate.PULLED_BACK}


def test_so_does_a_discard_that_was_undone(letters):
    (letter,) = letters(1)
    operation = ask("discard", filter={})
    work()
    assert fates(operation) == {letter: Fate.DONE}
    undo(operation)
    work()
    operation.refresh_from_db()
    assert fates(operation) == {letter: Fate.PULLED_BACK}
    assert receipt.fates(operation)[Fate.PULLED_BACK] == 1


def test_the_fates_add_up_to_the_selection_and_agree_with_the_rows(letters):
    operation, ids = revived(letters, 6)
    for place, letter in enumerate(ids[:4]):
        settle(letter, "SUCCEEDED" if place % 2 else "PENDING", fails=not place % 2)
    numbers = receipt.fates(operation)
    assert sum(numbers.values()) == operation.selected
    for fate in (Fate.SUCCEEDED, Fate.FAILED_AGAIN, Fate.UNDER_WAY):
        assert len(receipt.items(operation.pk, fate=fate)) == numbers[fate] == 2


def test_the_new_errors_have_their_shares(letters):
    operation, ids = revived(letters, 4)
    for letter in ids[:3]:
        settle(letter, "PENDING", fails=True)
    execute(f"UPDATE dlq_events SET error_reason = 'Other: cause' WHERE id = {ids[2]}")
    errors = receipt.new_errors(operation.pk, Fate.FAILED_AGAIN)
    assert [(each.number, each.failed, each.percent) for each in errors] == [(2, 3, 66), (1, 3, 33)]


def test_those_that_failed_again_are_revived_again(letters):
    operation, ids = revived(letters, 3)
    settle(ids[0], "SUCCEEDED")
    settle(ids[1], "PENDING", fails=True)
    scope = ItemsOf(operation.pk, Fate.FAILED_AGAIN)
    assert [letter.pk for letter in scope.queryset()] == [ids[1]]
    again = ask("revive", source=(operation.pk, Fate.FAILED_AGAIN))
    work()
    assert counts(again)[:3] == ("completed", 1, 1)
