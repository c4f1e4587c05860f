"""Rows of any source become items, and items are stored: with a handler, or as what failed elsewhere."""

import pytest

from dlqconsole.pipeline.sink import rows as module
from dlqconsole.pipeline.sink.items import EventLine, EventOrigin, Item, item_of
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.processing.limits import DEFAULT_LIMITS
from dlqconsole.processing.outcomes import Failed

from .hostile import event

pytestmark = pytest.mark.django_db(transaction=True)

TOPIC = EventOrigin("orders", "kafka:orders", "order.created", {"dlq_topic": "orders"})
ELSEWHERE = Failed("PriceMissing: no price", "BUSINESS", "PriceMissing", "at shop.py, line 3")


def item(value: bytes, key: str = "0-1", headers: dict | None = None, failure: Failed | None = None) -> Item:
    return item_of(EventLine(value, {"dlq_offset": 1}), TOPIC, key, headers or {}, DEFAULT_LIMITS, failure)


def test_an_event_is_who_it_says_or_where_it_stood():
    named = item(event("7"))
    by_place = item(b'{"order_id": 7}')
    by_headers = item(
        b'{"order_id": 7}', headers={"ce_source": "shop", "ce_id": "8", "ce_type": "order.paid"}
    )
    assert (named.source, named.key, named.event_type) == ("shop", "7", "order.created")
    assert (by_place.source, by_place.key, by_place.event_type) == ("kafka:orders", "0-1", "order.created")
    assert (by_headers.source, by_headers.key, by_headers.event_type) == ("shop", "8", "order.paid")


@pytest.mark.parametrize("key", ["a\x00b", "\ud800", "é" * 1_000, "x" * 513])
def test_a_key_that_no_column_can_hold_is_its_hash(key):
    once, other = item(b"{}", key), item(b"{}", key + "!")
    assert once.key == item(b"{}", key).key != other.key
    assert len(once.key.encode()) < 512


def test_what_failed_elsewhere_is_a_dead_letter_of_that_failure(make_work, rows):
    """No handler runs, also where the payload cannot be read; headers are kept in words that jsonb holds."""
    given = [
        item(event("1"), failure=ELSEWHERE, headers={"trace": "a\x00b"}),
        item(b"\xff\x00", "0-2", failure=ELSEWHERE),
    ]
    given[0].queue = "kafka:orders"
    tally = store_rows(make_work(handlers=""), given, lambda each: each)
    assert tally == {("order.created", "PriceMissing"): 2}
    first, second = rows("SELECT * FROM dlq_events ORDER BY source_key DESC, id")
    assert (first["error_reason"], first["error_category"]) == (ELSEWHERE.reason, "BUSINESS")
    assert (first["queue"], second["queue"]) == ("kafka:orders", None)
    assert first["headers"] == {"trace": "ab", "dlq_topic": "orders", "dlq_offset": 1}
    assert (second["payload"], bytes(second["payload_raw"]), second["status"]) == (
        None,
        b"\xff\x00",
        "PENDING",
    )


def test_rows_are_stored_in_batches_and_empty_ones_counted(make_work, rows, monkeypatch):
    monkeypatch.setattr(module, "BATCH_EVENTS", 2)
    values = [event(str(number)) if number % 3 else None for number in range(9)]
    tally = store_rows(make_work(), values, lambda value: item(value) if value else None)
    assert tally == {("order.created", "enriched"): 6}
    [run] = rows("SELECT done, counts FROM pipeline_runs")
    assert run["counts"] == {"read": 6, "enriched": 6, "dead_lettered": 0, "unchanged": 0, "blank": 3}
