"""The places in a payload, and their names."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dlqconsole.contrib.insight.statistics.payload_paths import (
    DEEPEST,
    MOST_PLACES,
    places,
    type_of,
    words,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=40,
)


def test_elements_of_lists_share_a_path():
    payload = {"items": [{"sku": "A"}, {"sku": "B"}], "total": 7}
    found = [(words(path), type_of(value)) for path, value in places(payload)]
    assert found == [
        ("items", "list"), ("total", "number"), ("items[]", "object"), ("items[]", "object"),
        ("items[].sku", "text"), ("items[].sku", "text"),
    ]  # fmt: skip


def test_each_type_has_a_word():
    values = ["x", 1, 1.5, True, None, [], {}, "‹email›"]
    assert [type_of(value) for value in values] == [
        "text", "number", "number", "boolean", "null", "list", "object", "hidden",
    ]  # fmt: skip


@given(JSON)
def test_each_place_leads_to_its_value(payload):
    for path, value in places(payload):
        assert value in reached(payload, path)


@given(JSON)
@settings(max_examples=30)
def test_the_places_are_bounded(payload):
    found = list(places({"a": [payload] * 30}))
    assert len(found) <= MOST_PLACES
    assert max(len(path) for path, _ in found) <= DEEPEST


def test_what_is_wide_or_deep_ends():
    deep = 1
    for _ in range(10_000):
        deep = [deep]
    assert len(list(places(deep))) == DEEPEST
    assert len(list(places({str(number): number for number in range(100_000)}))) == MOST_PLACES
    assert list(places({"x" * 500: 1, "": 2})) == []


def reached(value, path):
    """All that stands at a path."""
    values = [value]
    for name in path:
        values = [below for one in values for below in _below(one, name)]
    return values


def _below(value, name):
    if isinstance(value, dict):
        return [value[name]] if name in value else []
    return value if isinstance(value, list) and name == "[]" else []
