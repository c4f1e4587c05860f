"""The quick road and the strict road must lead to the same place, whatever the bytes."""

import json
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlqconsole.processing import decode
from dlqconsole.processing.payloads import read_quickly
from dlqconsole.processing.strict_json import read_strictly
from tests.sizes import sized

NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["-0", "-0.0", "1E5", "1e400", "1.10", "NaN", "-Infinity", "01", "1.", ".5", "+1"]),
)
STRINGS = st.one_of(
    st.text().map(json.dumps),
    st.text(alphabet='ab":{}[],\\ -0eE1\n').map(json.dumps),
    st.text().map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(
        ['"\\u0000"', '"\\\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"a\\":b"', '"\x00"', "'a'"]
    ),
)
SPACE = st.sampled_from(["", "", "", " ", "\n", "\t", "\r\n", "  "])
KEYS = st.one_of(st.sampled_from(['"a"', '"b"', '"\\u0061"', '""', '":"', '"-0"']), STRINGS)


@st.composite
def objects(draw, items):
    members = draw(st.lists(st.tuples(KEYS, SPACE, SPACE, items, SPACE), max_size=4))
    return "{" + ",".join(f"{key}{a}:{b}{value}{c}" for key, a, b, value, c in members) + "}"


@st.composite
def arrays(draw, items):
    return "[" + ",".join(a + item + b for a, item, b in draw(st.lists(st.tuples(SPACE, items, SPACE)))) + "]"


SCALARS = st.one_of(NUMBERS, STRINGS, st.sampled_from(["true", "false", "null"]))
TEXTS = st.recursive(SCALARS, lambda items: st.one_of(objects(items), arrays(items)), max_leaves=12)


@pytest.mark.sized
@given(st.tuples(SPACE, TEXTS, SPACE).map("".join))
@settings(max_examples=sized(200, 600))
@example('{"a" :1,"a":2}')
@example('{"a":1,"a":":"}')
@example('{"a":"x","a":"\\""}')
@example('{"a":"\\\\","a":1}')
@example("[-0]")
@example('{"when":"2013-01-01","n":-0}')
def test_whatever_the_quick_road_accepts_the_strict_road_reads_alike(text):
    raw = text.encode("utf-8", "surrogatepass")
    quick, strict = read_quickly(raw), read_strictly(raw)
    if quick is not None:
        assert quick == strict
        assert repr(quick.value) == repr(strict.value)  # 1 is not 1.0 and not True here
    assert decode(raw) == strict


@pytest.mark.sized
@given(st.binary(max_size=60))
@settings(max_examples=sized(100, 250))
def test_any_bytes_at_all_are_read_without_an_exception(raw):
    found = decode(raw)
    assert found.state in ("ok", "sanitised", "unparsable", "too_large")
    assert (found.problem is None) <= (found.state == "ok")
    assert found.state == "ok" or found.raw == raw


@pytest.mark.sized
@given(TEXTS)
@settings(max_examples=sized(100, 250))
def test_the_copy_for_jsonb_is_json_without_anything_postgresql_refuses(text):
    copy = decode(text).json_text
    if copy is not None:
        # Exact numbers and the last of equal keys, which is what jsonb keeps.
        for string in _strings(json.loads(copy, parse_float=Decimal)):
            assert "\x00" not in string
            string.encode()


def test_ordinary_events_take_the_quick_road():
    event = {
        "id": "8a3e5e10-2e9f",
        "time": "2013-01-01T05:00:00Z",
        "n": -3,
        "f": 39.02,
        "t": 'a "b"',
        "x": None,
    }
    for separators in ((",", ":"), (", ", ": ")):
        assert read_quickly(json.dumps(event, separators=separators).encode()) is not None
    assert read_quickly(json.dumps(event, indent=2).encode()) is not None


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
