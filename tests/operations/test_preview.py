"""The confirm page's counts: what would be selected, what of it skipped, and why."""

import pytest

from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.operations import preview as previews
from dlqconsole.operations.preview import Ineligible, preview
from tests.operations.conftest import ask, counts, execute, work

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_tells_what_will_be_skipped_and_the_receipt_agrees(letters):
    letters(3)
    letters(2, status="EXHAUSTED")
    letters(4, status="DISCARDED")
    letters(1, status="RETRYING")
    found = preview("revive", filter=DeadLetterFilter())
    assert (found.total, found.eligible, found.approximate) == (10, 5, False)
    assert found.ineligible == [
        Ineligible("DISCARDED", 4, "is DISCARDED: restore it first"),
        Ineligible("RETRYING", 1, "is being retried just now"),
    ]
    operation = ask("revive", filter={}, expected=found.total)
    work()
    assert counts(operation)[1:4] == (10, 5, 5)
    assert operation.selection_note == ""


def test_ticked_rows_that_do_not_exist_are_counted_as_such(letters):
    ids = letters(2)
    found = preview("restore", ids=[*ids, *ids, 999_999])
    assert (found.total, found.eligible) == (3, 0)
    assert Ineligible("", 1, "no longer exists") in found.ineligible


def test_nothing_matches():
    assert preview("discard", filter=DeadLetterFilter(type="nobody")).total == 0


def test_a_slow_count_becomes_an_estimate_and_blocks_nobody(letters, monkeypatch):
    letters(500)
    execute("ANALYZE dlq_events")
    monkeypatch.setattr(previews, "COUNT_BUDGET_MS", 100)
    execute("CREATE FUNCTION slowly(text) RETURNS boolean LANGUAGE sql AS 'SELECT pg_sleep(1) IS NOT NULL'")
    original = DeadLetterFilter.queryset
    monkeypatch.setattr(
        DeadLetterFilter, "queryset", lambda self: original(self).extra(where=["slowly(event_type)"])
    )
    try:
        found = preview("revive", filter=DeadLetterFilter())
    finally:
        execute("DROP FUNCTION slowly(text)")
    assert found.approximate
    assert found.total > 0
    assert found.ineligible == []
