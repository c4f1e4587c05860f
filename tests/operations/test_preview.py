"""The confirm page's counts: what would be selected, what of it skipped, and why, and what it consists of."""

from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.engine.audit import record
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.requests import preview as previews
from dlqconsole.operations.requests.preview import Duplicates, Ineligible, SelectionPart, preview
from dlqconsole.operations.requests.scope import ItemsOf, Matching, Rows
from dlqconsole.transports.models import AttachedQueue
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_tells_what_will_be_skipped_and_the_receipt_agrees(letters):
    letters(3)
    letters(2, status="EXHAUSTED")
    letters(4, status="DISCARDED")
    letters(1, status="RETRYING")
    found = preview("revive", Matching(DeadLetterFilter()))
    assert (found.total, found.eligible, found.is_least) == (10, 5, False)
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
    found = preview("restore", Rows.of([*ids, *ids, 999_999]))
    assert (found.total, found.eligible) == (3, 0)
    assert Ineligible("", 1, "no longer exists") in found.ineligible


def test_nothing_matches():
    assert preview("discard", Matching(DeadLetterFilter(type="nobody"))).total == 0


def test_a_slow_count_is_not_guessed_and_blocks_nobody(letters, monkeypatch):
    letters(500)
    execute("ANALYZE dlq_events")
    monkeypatch.setattr(previews, "COUNT_BUDGET_MS", 100)
    execute("CREATE FUNCTION slowly(text) RETURNS boolean LANGUAGE sql AS 'SELECT pg_sleep(1) IS NOT NULL'")
    original = DeadLetterFilter.queryset
    monkeypatch.setattr(
        DeadLetterFilter,
        "queryset",
        lambda self, *asked: original(self, *asked).extra(where=["slowly(event_type)"]),
    )
    try:
        found = preview("revive", Matching(DeadLetterFilter()))
    finally:
        execute("DROP FUNCTION slowly(text)")
    assert found.is_least
    assert (found.total, found.eligible) == (500, 500), "the kept count, as the list has it"
    assert found.ineligible == []
    assert found.duplicates is None


def test_ages_types_and_categories_add_up_to_the_count(letters):
    now = datetime.now(UTC)
    for days, number in ((0, 4), (0.2, 3), (3, 2), (40, 1)):
        letters(number, dead_lettered_at=now - timedelta(days=days))
    for number in range(7):
        letters(1, f"type.{number}")
    found = preview("revive", Matching(DeadLetterFilter()))
    assert [part.count for part in found.ages] == [11, 3, 0, 2, 0, 1]
    assert found.types[0] == SelectionPart("order.created", 10)
    assert found.types[-1] == SelectionPart("3 others", 3)
    assert {sum(part.count for part in cut) for cut in (found.ages, found.types, found.categories)} == {17}


def test_rows_about_the_same_thing_are_counted(letters):
    event = (
        '{"specversion": "1.0", "id": "%s", "source": "s", "type": "order.keyed", "data": {"order_id": %s}}'
    )
    # one order by its business key, whether its event is a CloudEvent or not, and whatever else it says
    letters(1, "order.keyed", event % ("a", 7)), letters(1, "order.keyed", event % ("b", 7))
    letters(1, "order.keyed", '{"order_id": 7, "total": 3}'), letters(1, "order.keyed", event % ("c", 8))
    # a type without a key: the whole data, whoever carries it
    letters(2, "order.created", '{"a": 1.0, "b": 2}'), letters(1, "order.created", '{"b": 2, "a": 1}')
    letters(1, "order.created", '{"a": 2}')
    assert preview("revive", Matching(DeadLetterFilter())).duplicates == Duplicates(rows=6, keys=2)


def test_lanes_are_counted_once_each(letters):
    letters(3, group_key="customer-1"), letters(2, group_key="customer-2"), letters(4)
    assert preview("revive", Matching(DeadLetterFilter())).ordering_keys == 2


def test_the_time_it_takes_follows_the_rate_or_those_before_it(letters):
    letters(400)
    assert preview("discard", Matching(DeadLetterFilter())).seconds is None
    assert preview("discard", Matching(DeadLetterFilter()), {"rate": 200}).seconds == 2
    operation = ask("discard", filter={})
    work()
    execute(
        "UPDATE operations SET finished_at = started_at + interval '4 s', status = 'completed' WHERE id = %s",
        operation.pk,
    )
    letters(50)
    found = preview("discard", Matching(DeadLetterFilter()))
    assert (found.seconds, found.is_measured) == (pytest.approx(0.5), True)


def test_no_pace_is_taken_from_what_stood_still(letters):
    letters(400)
    operation = ask("discard", filter={})
    work()
    record("user:ann", "pause", f"operation:{operation.pk}", operation_id=operation.pk)
    letters(50)
    assert preview("discard", Matching(DeadLetterFilter())).seconds is None
    assert not preview("discard", Matching(DeadLetterFilter()), {"rate": 5}).is_measured


def test_how_soon_consumers_of_another_system_come_to_it_is_not_known(letters):
    letters(2, queue="orders")
    assert not preview("revive", Matching(DeadLetterFilter())).elsewhere
    AttachedQueue.objects.create(name="pgmq:bills", transport="pgmq", remote_name="bills")
    letters(1, queue="pgmq:bills")
    assert preview("revive", Matching(DeadLetterFilter())).elsewhere
    assert not preview("discard", Matching(DeadLetterFilter())).elsewhere
    assert not preview("revive", Matching(DeadLetterFilter()), {"to_queue": "orders"}).elsewhere


def test_what_became_of_an_operations_items_is_a_scope_too(letters):
    ids = letters(3)
    operation = ask("discard", ids=ids)
    work()
    execute("UPDATE operation_items SET status = 'failed' WHERE dead_letter_id = ANY(%s)", ids[:2])
    assert preview("restore", ItemsOf(operation.pk, "failed")).eligible == 2
    execute("DELETE FROM dlq_events WHERE id = %s", ids[0])
    found = preview("restore", ItemsOf(operation.pk, "failed"))
    assert (found.total, found.eligible) == (2, 1)


def test_poison_payloads_do_not_stop_the_figures(letters):
    letters(1, payload='"text"'), letters(1, payload="[1, 2]"), letters(1, payload="null")
    letters(2, "order.keyed", '"no object"')
    execute("UPDATE dlq_events SET payload = NULL, payload_raw = '\\xff' WHERE payload = 'null'")
    found = preview("revive", Matching(DeadLetterFilter(reason="e")))
    assert found.total == len(column("SELECT id FROM dlq_events"))
    assert found.duplicates == Duplicates(rows=2, keys=1)
