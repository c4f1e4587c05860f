"""An attempt is a value, never an exception."""

import pytest

from dlqconsole.processing import BusinessError, Event, Failed, Succeeded, attempt, attempt_payload
from dlqconsole.processing.handlers import Declaration, Registry


class StockEmpty(BusinessError):
    """A user's own error."""


class Unspeakable(Exception):
    """An error whose own message fails."""

    def __str__(self):
        raise RuntimeError("no")


def run(function, data=None):
    registry = Registry([Declaration("a", function, None, {})])
    return attempt(registry, Event(id="1", source="s", type="a", data=data))


def raising(error):
    def function(event, lookups):
        raise error

    return function


def test_a_record_succeeds_with_its_json():
    assert run(lambda event, lookups: {"n": event.data}, 5) == Succeeded({"n": 5}, '{"n":5}')


def test_a_business_error_keeps_its_name_its_category_and_the_handlers_frame():
    failed = run(raising(StockEmpty("no more of 7")))
    assert (failed.reason, failed.category, failed.error_class) == (
        "StockEmpty: no more of 7",
        "BUSINESS",
        "StockEmpty",
    )
    assert "raise error" in failed.stacktrace
    assert __file__ in failed.stacktrace
    assert 'outcomes.py", line' not in failed.stacktrace.replace(__file__, "")
    assert failed.stacktrace.endswith("StockEmpty: no more of 7\n")


def test_an_unforeseen_error_is_unknown():
    failed = run(lambda event, lookups: event.data["missing"], {})
    assert (failed.reason, failed.category) == ("KeyError: 'missing'", "UNKNOWN")


@pytest.mark.parametrize(
    "error", [GeneratorExit(), RecursionError(), MemoryError(), Unspeakable(), BaseException()]
)
def test_no_error_escapes(error):
    assert isinstance(run(raising(error)), Failed)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_a_request_to_stop_is_obeyed(error):
    with pytest.raises(error):
        run(raising(error()))


def test_a_message_is_one_clean_bounded_line():
    failed = run(raising(ValueError("a\x00b\n\x1b[31mred\x1b[0m \ud800" + "x" * 10_000)))
    assert failed.reason.startswith("ValueError: ab red \ufffdxxx")
    assert len(failed.reason) <= 4000


def test_a_stack_trace_is_bounded_and_shows_both_ends_of_a_recursion():
    def endless(event, lookups):
        return endless(event, lookups)

    failed = run(endless)
    assert failed.error_class == "RecursionError"
    assert " more frames …" in failed.stacktrace
    assert len(failed.stacktrace) < 65_536


def test_causes_are_told_in_order():
    def wrapping(event, lookups):
        try:
            raise TimeoutError("billing")
        except TimeoutError as error:
            raise StockEmpty("cannot bill") from error

    trace = run(wrapping).stacktrace
    assert (
        trace.index("TimeoutError: billing")
        < trace.index("led to the following")
        < trace.index("StockEmpty:")
    )


@pytest.mark.parametrize("record", [float("nan"), [1], {"a": object()}, {"a": float("inf")}])
def test_a_record_that_is_not_json_is_a_failure(record):
    failed = run(lambda event, lookups: record)
    assert (failed.error_class, failed.category) == ("UnusableRecord", "PERMANENT")


def test_an_unknown_event_type_is_a_dead_letter():
    failed = attempt(Registry([]), Event(id="1", source="s", type="b"))
    assert failed.reason == "NoHandler: no handler is declared for event type 'b'"


def test_a_payload_that_is_no_event_is_a_failure_without_an_event():
    event, failed = attempt_payload(Registry([]), b'{"specversion":"1.0"}', queue="q", message_id=1)
    assert (event, failed.error_class, failed.category) == (None, "MalformedEvent", "PERMANENT")
    event, failed = attempt_payload(Registry([]), b"{", queue="q", message_id=1)
    assert failed.reason.startswith("MalformedEvent: not JSON, expecting property name")
