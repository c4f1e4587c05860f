"""A record must be JSON that a jsonb column holds, numbers exact."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from dlqconsole.processing import UnusableRecord
from dlqconsole.processing.records import record_json


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (None, "null"),
        ({}, "{}"),
        ({"n": None, "中": "é\\u0000"}, '{"n":null,"中":"é\\\\u0000"}'),
        ({"n": [-(2**63) - 1, 2**64]}, '{"n":[-9223372036854775809,18446744073709551616]}'),
        ({"n": 12345678901234567890123}, '{"n":12345678901234567890123}'),
        (
            {"n": [Decimal("12345678901234567890.123456789"), (1, {"x": 2**70})]},
            '{"n":[12345678901234567890.123456789,[1,{"x":1180591620717411303424}]]}',
        ),
        ({"at": datetime(2013, 1, 1, tzinfo=UTC)}, '{"at":"2013-01-01T00:00:00+00:00"}'),
    ],
)
def test_a_record_is_written_exactly(record, text):
    assert record_json(record) == text


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ([1], "the handler returned list, not a dict"),
        ("x", "the handler returned str, not a dict"),
        ({"a": object()}, "is not JSON: Type is not JSON serializable: object"),
        ({1: 2}, "is not JSON: Dict key must be str"),
        ({"a": "\ud800"}, "is not JSON: str is not valid UTF-8"),
        ({"a": {"b": [0.0, float("nan")]}}, "record.a.b.1 is nan, which JSON cannot hold"),
        ({"a": float("-inf")}, "record.a is -inf"),
        ({"a": Decimal("NaN")}, "is not JSON"),
        ({"a": "x\x00"}, "record.a holds a NUL character"),
        ({"a\x00": 1}, "a key of record holds a NUL character"),
        ({"a": 10**5000}, "is not JSON"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_place(record, sentence):
    with pytest.raises(UnusableRecord, match=sentence):
        record_json(record)


def test_a_record_that_contains_itself_is_refused():
    record = {}
    record["again"] = record
    with pytest.raises(UnusableRecord, match="is not JSON"):
        record_json(record)
