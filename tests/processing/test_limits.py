"""The limits of what is read and kept of an event are those of the settings."""

import functools
from dataclasses import dataclass
from enum import StrEnum

import pytest

from dlqconsole.processing import decode
from dlqconsole.processing.edits import EditRefused, read_exactly
from dlqconsole.processing.errors import RecordTooLarge
from dlqconsole.processing.limits import MEBIBYTE, Limits
from dlqconsole.processing.payloads import decode_stored, decode_text
from dlqconsole.processing.records import is_longer_than, record_json


def document(keys: int) -> bytes:
    return ("{" + ",".join(f'"k{number}":{number}' for number in range(keys)) + "}").encode()


def test_many_keys_within_the_bytes_are_read():
    payload = document(50_000)
    assert 700_000 < len(payload) < MEBIBYTE
    assert decode(payload).state == "ok"


@pytest.mark.parametrize("member", ['{"":0},', '{"a":1},'])
def test_no_payload_of_the_default_bytes_has_too_many_keys(member):
    whole = "[" + (member * ((MEBIBYTE - 1) // len(member)))[:-1] + "]"
    assert MEBIBYTE - 20 < len(whole) <= MEBIBYTE
    assert decode(whole).state == "ok"


def test_more_keys_than_the_setting_are_too_many_and_say_where():
    limits = Limits(payload_keys=100)
    assert decode(document(100), limits).state == "ok"
    found = decode(document(101), limits)
    assert found.state == "too_large"
    assert found.problem.startswith("more than 100 keys at line 1, column ")


def test_the_spaces_that_jsonb_adds_are_not_counted():
    limits = Limits(payload_bytes=100)
    sent = '{"a":[' + ",".join(["1"] * 46) + "]}"
    assert len(sent) == 99
    assert decode(sent, limits).state == "ok"
    stored = sent.replace(",", ", ").replace(":", ": ")
    assert len(stored) > 140
    assert decode_stored(stored, None, limits).state == "ok"
    assert decode_stored(None, stored.encode(), limits).state == "too_large"


def test_spaces_inside_a_text_are_counted():
    assert decode_text('"' + ", : " * 30 + '"', Limits(payload_bytes=100)).state == "too_large"
    assert decode_text('"\\" , ' + "x" * 100 + '"', Limits(payload_bytes=100)).state == "too_large"


def test_a_stored_text_that_was_cut_is_too_large_and_not_broken():
    limits = Limits(payload_bytes=100)
    stored = "[" + ", ".join(["1"] * 1000) + "]"
    assert decode_text(stored[: limits.stored_characters], limits).state == "too_large"


def test_an_edited_text_may_be_set_out_for_reading():
    limits = Limits(payload_bytes=20)
    assert read_exactly('{\n    "a": [\n        1\n    ]\n}', limits).state == "ok"
    with pytest.raises(EditRefused, match="more than 20"):  # 1E5 is kept as it is written, spaces and all
        read_exactly('{\n    "a": [\n        1E5\n    ]\n}', limits)


def test_a_record_beyond_its_limit_is_refused_with_both_sizes():
    assert record_json({"a": "x" * 12}, 20) == '{"a":"xxxxxxxxxxxx"}'
    with pytest.raises(RecordTooLarge, match="record is 21 bytes long, more than 20"):
        record_json({"a": "x" * 13}, 20)
    with pytest.raises(RecordTooLarge, match="more than 1,048,576"):
        record_json({"a": "x" * MEBIBYTE})


class Long(StrEnum):
    TEXT = "x" * 3 * MEBIBYTE


@dataclass
class Holds:
    text: str


NESTED = functools.reduce(lambda inner, _: [inner] * 10, range(8), "x")


@pytest.mark.parametrize(
    "value", [Long.TEXT, Holds(Long.TEXT.value), {Long.TEXT.value: 1}, [{"b": (Long.TEXT.value,)}], NESTED]
)
def test_a_record_far_beyond_its_limit_is_not_written_to_find_that_out(value):
    with pytest.raises(RecordTooLarge, match="is far more than 1,048,576 bytes long"):
        record_json({"a": value})


def test_what_a_record_takes_at_least_is_never_more_than_it_takes():
    record = {"a": [1, "ü", [], {}, [[[]]], {"": ""}], "b": Holds("x"), "c": [None, True, 1.5], "d": (1,)}
    written = len(record_json(record))
    assert not is_longer_than(record, written)
    assert is_longer_than(record, 10)
