"""A reported failure is a dead letter, with what is needed to understand it and to try it again."""

import asyncio
import sys
from decimal import Decimal
from types import SimpleNamespace

import dlq
import pytest

from tests import asynchronous

ORDER = {"id": 7, "price": Decimal("1.10")}
AS_KEPT = {"id": 7, "price": {"$type": "decimal", "value": "1.10"}}


class OutOfStock(Exception):
    category = "BUSINESS"


@pytest.fixture
def letter(init, reporter_url, letters):
    """``letter()`` is the one dead letter, once all is sent. The client may report, and nothing else."""
    init(reporter_url(), release="1.4.2", host="web-1")

    def read():
        assert dlq.flush(10)
        [row] = letters()
        return row

    return read


def fail(order):
    secret = "s3cret of a local value"  # noqa: F841
    try:
        {}["stock"]
    except KeyError as error:
        raise OutOfStock("nothing of it is left") from error


def test_a_failure_is_a_dead_letter_with_its_story(letter):
    try:
        fail(ORDER)
    except OutOfStock as error:
        number = dlq.report(error, ORDER, type="order.created", key="order-7", queue="orders")
    kept = letter()
    assert (kept["event_type"], kept["source"], kept["source_key"]) == ("order.created", "shop", "order-7")
    assert (kept["error_reason"], kept["error_category"]) == ("OutOfStock: nothing of it is left", "BUSINESS")
    assert (kept["queue"], kept["payload"], kept["error_class"]) == ("orders", AS_KEPT, "OutOfStock")
    assert dlq.decode(kept["payload"]) == ORDER
    assert (kept["headers"]["dlq_release"], kept["headers"]["dlq_host"]) == ("1.4.2", "web-1")
    trace = kept["error_stacktrace"]
    assert trace.index("KeyError: 'stock'") < trace.index("OutOfStock: nothing of it is left")
    assert "in fail" in trace
    assert "s3cret of" not in trace.replace('secret = "s3cret of', "")
    assert number


def test_local_values_go_along_where_they_are_asked_for(init, reporter_url, letters):
    init(reporter_url(), with_locals=True)
    try:
        fail(ORDER)
    except OutOfStock:
        dlq.report(None, ORDER)
    assert dlq.flush(10)
    assert "secret = 's3cret of a local value'" in letters()[0]["error_stacktrace"]


def test_the_same_event_again_is_one_occurrence_more(letter):
    for _ in range(3):
        dlq.report(OutOfStock("none"), ORDER, type="order.created", key="order-7")
    assert letter()["occurrences"] == 3


def test_without_a_key_each_failure_is_an_event_of_its_own(init, reporter_url, letters):
    init(reporter_url())
    for _ in range(2):
        dlq.report(OutOfStock("none"), ORDER)
    assert dlq.flush(10)
    assert len({row["source_key"] for row in letters()}) == 2


def test_a_cloudevent_names_itself(letter):
    event = {"specversion": "1.0", "id": "e1", "source": "https://shop", "type": "order.paid", "data": 1}
    dlq.report(OutOfStock("none"), event)
    kept = letter()
    assert (kept["source"], kept["source_key"], kept["event_type"]) == ("https://shop", "e1", "order.paid")
    assert kept["payload"] == event


def test_the_trace_of_opentelemetry_goes_along(letter, monkeypatch):
    context = SimpleNamespace(is_valid=True, trace_id=0xABC, span_id=0x12, trace_flags=1)
    telemetry = SimpleNamespace(get_current_span=lambda: SimpleNamespace(get_span_context=lambda: context))
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", telemetry)
    dlq.report(OutOfStock("none"), ORDER)
    assert letter()["headers"]["traceparent"] == f"00-{0xABC:032x}-{0x12:016x}-01"


def test_what_cannot_be_revived_is_marked_with_the_reason(letter):
    dlq.report(OutOfStock("none"), {"order": SimpleNamespace(), "id": 1}, headers={"tenant": "a"})
    kept = letter()
    [problem] = kept["headers"]["dlq_not_revivable"]
    assert problem["path"] == "/order"
    assert "cannot be kept" in problem["reason"]
    assert (kept["payload"]["id"], kept["headers"]["tenant"]) == (1, "a")


def test_texts_that_postgresql_cannot_hold_are_no_reason_to_lose_a_failure(letter):
    dlq.report(OutOfStock("a\0b\ud800"), {"a\0": "\ud800"}, type="t\0", key="k\ud800")
    kept = letter()
    assert dlq.decode(kept["payload"]) == {"a\0": "\ud800"}
    assert kept["error_reason"] == "OutOfStock: a\ufffdb\ufffd"


def test_a_guarded_function_reports_its_argument_and_raises(letter):
    @dlq.guard("order.created", key=lambda order: order["id"])
    def handle(order):
        raise OutOfStock("none")

    with pytest.raises(OutOfStock):
        handle(ORDER)
    kept = letter()
    assert (kept["event_type"], kept["source_key"], kept["payload"]) == ("order.created", "7", AS_KEPT)
    assert "guarded" not in kept["error_stacktrace"]


def test_a_guarded_method_with_several_arguments_reports_them_by_name(letter):
    class Shop:
        @dlq.guard("order.created")
        def handle(self, order, by="anna"):
            raise OutOfStock("none")

    with pytest.raises(OutOfStock):
        Shop().handle(1, by="ben")
    assert letter()["payload"] == {"order": 1, "by": "ben"}


def test_a_guarded_coroutine_reports_when_it_fails(letter):
    @dlq.guard("order.created")
    async def handle(order):
        await asyncio.sleep(0)
        raise OutOfStock("none")

    with pytest.raises(OutOfStock):
        asynchronous.run(handle(ORDER))
    assert letter()["payload"] == AS_KEPT


def test_a_guarded_block_reports_once_however_many_are_around_it(letter):
    with pytest.raises(OutOfStock), dlq.guard("batch"), dlq.guard("order.created", event=ORDER):
        raise OutOfStock("none")
    assert letter()["event_type"] == "order.created"


def test_who_stops_the_program_is_no_failure(init, reporter_url, letters):
    init(reporter_url())
    with pytest.raises(KeyboardInterrupt), dlq.guard("order.created", event=ORDER):
        raise KeyboardInterrupt
    assert dlq.flush(10)
    assert letters() == []


def test_a_later_success_closes_the_dead_letter(letter):
    dlq.report(OutOfStock("none"), ORDER, key="order-7")
    dlq.recovered("shop", "order-7")
    assert letter()["status"] == "SUCCEEDED"


def test_a_group_of_errors_tells_of_its_members(letter):
    dlq.report(ExceptionGroup("two", [OutOfStock("one"), KeyError("two")]), ORDER)
    assert "OutOfStock: one" in letter()["error_stacktrace"]
