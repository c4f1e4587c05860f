"""The successes that are kept as samples: the rate is kept, rare types are not forgotten."""

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.contrib.insight.samples.sampling import FIRST, LARGEST, SamplePolicy, Sampler, sample_of
from dlqconsole.processing.masking import Masker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def taken(sampler, count, event_type="order"):
    sampler.renew_minute()
    return [found for _ in range(count) if (found := sampler.take(event_type))]


def test_one_in_so_many_is_taken_and_the_first_of_each_minute():
    clock = Clock()
    sampler = Sampler(lambda _: SamplePolicy(100), clock)
    found = taken(sampler, 100_000)
    by_rate = sum(one.by_rate for one in found)
    assert 850 < by_rate < 1150
    assert len(found) - by_rate == FIRST
    assert not any(not one.by_rate for one in taken(sampler, 50))
    clock.now = 61.0
    assert sum(not one.by_rate for one in taken(sampler, 50)) == FIRST


def test_what_is_taken_stands_for_all_since_the_last():
    sampler = Sampler(lambda _: SamplePolicy(50), Clock())
    found = taken(sampler, 20_000)
    assert 19_000 < sum(one.stands_for for one in found) <= 20_000


def test_nothing_is_taken_of_a_type_that_is_switched_off():
    policies = {"order": SamplePolicy(0), "other": SamplePolicy(1)}
    sampler = Sampler(policies.__getitem__, Clock())
    assert taken(sampler, 10_000) == []
    assert len(taken(sampler, 100, "other")) == 100
    # somebody switches it on
    policies["order"] = SamplePolicy(1)
    sampler.redraw_gaps()
    assert len(taken(sampler, 100)) == 100


def test_every_event_has_the_same_chance():
    """Of many processes' first hundred events each place is taken about as often; the first few apart."""
    hits = Counter()
    for _ in range(4_000):
        sampler = Sampler(lambda _: SamplePolicy(20), Clock())
        hits.update(place for place in range(100) if (found := sampler.take("order")) and found.by_rate)
    assert all(120 < hits[place] < 290 for place in range(100))


def test_what_is_personal_is_masked_and_that_is_said():
    masker = Masker()
    assert sample_of('{"carrier": "MQ"}', None, masker).is_masked is False
    hidden = sample_of('{"email": "ann@example.org", "carrier": "MQ"}', None, masker)
    assert hidden.is_masked is True
    assert "ann" not in hidden.payload
    assert json.loads(hidden.payload)["carrier"] == "MQ"
    raw = sample_of(None, b'{"email": "ann@example.org", "x": "\\u0000"}', masker)
    assert raw.payload is None
    assert b"ann" not in raw.payload_raw
    assert sample_of('{"email": "ann@example.org"}', None, None).payload == '{"email": "ann@example.org"}'


def test_what_is_too_large_is_not_kept():
    assert sample_of(json.dumps("x" * LARGEST), None, None) is None


@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(), lambda inner: (
    st.lists(inner) | st.dictionaries(st.text(), inner)
), max_leaves=12))  # fmt: skip
def test_what_is_stored_is_json_always(value):
    stored = sample_of(json.dumps(value), None, Masker())
    assert stored is None or json.loads(stored.payload) is not ...
