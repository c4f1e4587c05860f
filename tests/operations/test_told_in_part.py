"""Who sees a part of an operation is told the numbers of that part, also when some of it is gone."""

import pytest

from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import visibility
from dlqconsole.operations.outcomes import in_words
from dlqconsole.operations.receipts.outlook import outlook
from tests.operations.conftest import ask, work

pytestmark = pytest.mark.django_db(transaction=True)

ORDERS = AccessScope.of([("order.created", "order.created")])


def with_visible_numbers(operation):
    row = visible(operation)
    return row.is_part, row.selected, row.done, row.skipped


def visible(operation):
    operation.refresh_from_db()
    with asking_as(ORDERS):
        [row] = visibility.with_visible_numbers([operation])
    return row


def test_what_is_gone_since_is_not_called_done(letters):
    mine, others = letters(3), letters(1, "user.created")
    DeadLetter.objects.filter(pk=mine[0]).update(status="DISCARDED")
    operation = ask("discard", ids=[*mine, *others])
    work()
    assert with_visible_numbers(operation) == (True, 3, 2, 1)
    DeadLetter.objects.filter(pk=mine[0]).delete()
    assert with_visible_numbers(operation) == (True, 2, 2, 0)
    DeadLetter.objects.filter(pk__in=mine).delete()
    assert with_visible_numbers(operation) == (True, 0, 0, 0)


def test_of_what_was_handed_over_only_ones_own_part_is_to_come(letters):
    letters(3), letters(1, "user.created")
    operation = ask("revive", filter={})
    work()
    row = visible(operation)
    assert (row.word, row.under_way, outlook(row).sentence) == (
        "handed_over", 3, "3 of 3 still to be handled.",
    )  # fmt: skip
    DeadLetter.objects.filter(event_type="order.created").update(status="SUCCEEDED")
    row = visible(operation)
    assert (row.word, row.under_way) == ("completed", 0)
    assert in_words(row) == "3 succeeded, 0 failed again, 0 skipped"
