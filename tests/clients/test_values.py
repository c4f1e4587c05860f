"""Values come back as they were, through jsonb too; what cannot is named."""

import datetime
import enum
import json
import math
from collections import OrderedDict, namedtuple
from decimal import Decimal
from types import SimpleNamespace
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from dlq.values import CannotDecode, decode, encode
from hypothesis import given
from hypothesis import strategies as st


class Colour(enum.Enum):
    RED = "red"
    SPOT = (1, 2)


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


Point = namedtuple("Point", "x y")

ZONES = st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=-3, seconds=7))])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**2000), 2**2000)
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.text(st.sampled_from("\0\\u0ad8\ud800\udc00"))
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.uuids()
    | st.dates()
    | st.datetimes(timezones=ZONES | st.just(ZoneInfo("Europe/Berlin")))
    | st.times(timezones=ZONES)
    | st.timedeltas()
    | st.sampled_from([*Colour, Rights.READ | Rights.WRITE])
)
KEYS = st.text(st.characters()) | st.sampled_from(["$type", "value"]) | st.integers() | st.uuids() | st.none()
HASHABLE = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
VALUES = st.recursive(
    LEAVES | st.sets(HASHABLE, max_size=3) | st.frozensets(HASHABLE, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def same(one, other):
    """Equal, and of the same types: 1, 1.0 and True are equal."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        # equal keys of other types are other keys to nobody
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, datetime.datetime):
        return (one, str(one.tzinfo), one.fold) == (other, str(other.tzinfo), other.fold)
    return one == other and repr(one) == repr(other) if isinstance(one, (float, Decimal)) else one == other


@given(VALUES)
def test_a_value_comes_back_as_it_was(value):
    encoded, problems = encode(value)
    assert problems == []
    assert same(decode(json.loads(json.dumps(encoded, allow_nan=False))), value)


def test_jsonb_keeps_what_is_encoded(db):
    value = [1e16, 1e300, 5e-324, -0.0, 1.0, 2**64, "a\0b", "\ud800", 0.1, {"b": 1, "a": (1,)}, {1: 2}]
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb::text", [json.dumps(encode(value)[0])])
        assert same(decode(json.loads(cursor.fetchone()[0])), value)


@pytest.mark.parametrize("value", [math.nan, Decimal("NaN"), Decimal("sNaN")])
def test_what_is_no_number_comes_back_as_that(value):
    assert repr(decode(encode(value)[0])) == repr(value)


def test_an_unusual_value_says_its_type():
    assert encode(Decimal("1.10"))[0] == {"$type": "decimal", "value": "1.10"}
    assert encode(("a", {"$type": 1}))[0] == {
        "$type": "tuple", "value": ["a", {"$type": "dict", "value": [["$type", 1]]}],
    }  # fmt: skip


def test_subclasses_of_what_json_has_come_back_as_that():
    class Text(str):
        def __str__(self):
            raise AssertionError("the value's own code ran")

    assert decode(encode(OrderedDict(a=Text("b")))[0]) == {"a": "b"}


def test_what_cannot_come_back_is_named_and_the_rest_is_kept():
    value = {"order": SimpleNamespace(), "at": [1, Point(1, 2)], "a/b": {object(): 1}, "ok": uuid4()}
    encoded, problems = encode(value)
    assert [problem["path"] for problem in problems] == ["/order", "/at/1", "/a~1b/object/0"]
    assert problems[0]["reason"] == "a types:SimpleNamespace cannot be kept: pass its key, or a dict"
    assert decode(encoded["ok"]) == value["ok"]
    with pytest.raises(CannotDecode, match="a types:SimpleNamespace could not be kept when it was reported"):
        decode(encoded)


def test_what_contains_itself_or_is_too_deep_or_too_large_ends():
    circle: list = []
    circle.append(circle)
    deep: list = []
    for _ in range(10_000):
        deep = [deep]
    for value, reason in (
        (circle, "contains itself"),
        (deep, "deeper than 60"),
        (list(range(10**6)), "large"),
    ):
        encoded, problems = encode(value)
        assert [reason in problem["reason"] for problem in problems] == [True]
        assert len(json.dumps(encoded)) < 1_500_000


def test_many_ids_are_kept_whole():
    for value in (list(range(-20_000, 20_000)), tuple(map(str, range(20_000)))):
        assert encode(value)[1] == []
        assert same(decode(encode(value)[0]), value)
    assert same(decode(encode([2**63, -1])[0]), [2**63, -1])
    assert same(decode(encode(["a", "b\0"])[0]), ["a", "b\0"])


def test_a_lazy_value_is_not_asked():
    class Lazy:
        @property
        def __class__(self):
            raise AssertionError("it began to work")

    assert len(encode([Lazy()])[1]) == 1


def test_no_module_is_imported_for_an_enum():
    with pytest.raises(CannotDecode, match="the enum this:Colour is not imported here"):
        decode({"$type": "enum", "class": "this:Colour", "value": 1})


@pytest.mark.parametrize(
    "wrong", [{"$type": "decimal"}, {"$type": "none"}, {"$type": [1]}, {"$type": "uuid", "value": 1}]
)
def test_what_a_person_broke_is_refused_with_a_sentence(wrong):
    with pytest.raises(CannotDecode, match="can be made of this JSON here"):
        decode([wrong])


def test_a_text_that_is_too_large_costs_itself_alone():
    encoded, problems = encode({"args": ["x" * 2_000_000], "kwargs": {"order": 7}})
    assert encoded["kwargs"] == {"order": 7}
    assert problems == [{"path": "/args/0", "reason": "it is too large: 2,000,000 characters"}]


def test_a_part_of_the_event_that_does_not_fit_is_named():
    encoded, problems = encode({"args": [[{"a": 1, "b": 2}] * 5_000], "kwargs": {"order": 7}})
    assert encoded["kwargs"] == {"$type": "unknown", "class": "builtins:dict"}
    assert [problem["path"] for problem in problems][-1] == "/kwargs"
