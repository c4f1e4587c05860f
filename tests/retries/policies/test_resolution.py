"""Which policy counts: each value from the most specific that says it, and it says where it comes from."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import Policies
from dlqconsole.retries.policies.windows import DAYS
from dlqconsole.retries.policy_preview import next_runs

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
ALL, TYPE, GROUP = 1, 2, 3
_SCOPES = {
    ALL: {},
    TYPE: {"event_type": "order"},
    GROUP: {"group_id": 7},
}


def row(which: int, **values) -> RetryPolicy:
    return made(pk=which, **_SCOPES[which], **values)


def made(**values) -> RetryPolicy:
    """As it comes from the database, without asking it."""
    nothing = {field.attname: None for field in RetryPolicy._meta.concrete_fields}
    return RetryPolicy(**nothing | values)


def policies(*rows: RetryPolicy) -> Policies:
    return Policies(rows, NOW, {7: ["order"]})


def three(**values) -> Policies:
    """All three, and each says its own number of retries."""
    return policies(*(row(which, max_retries=which, **values) for which in (ALL, GROUP, TYPE)))


@pytest.mark.parametrize(
    ("letter", "counts", "words"),
    [
        (("order", "DEPENDENCY", 7), GROUP, "group 7"),
        (("bill", "UNKNOWN", 7), GROUP, "group 7"),
        (("order", "TRANSIENT", 8), TYPE, "order"),
        (("order", "DEPENDENCY", None), TYPE, "order"),
        (("bill", "UNKNOWN", 8), ALL, "all dead letters"),
    ],
)
def test_the_most_specific_policy_counts(letter, counts, words):
    found = three().of(*letter)
    assert found.max_retries == counts
    assert (found.sources["max_retries"].policy, found.sources["max_retries"].words) == (counts, words)


def test_what_one_does_not_say_comes_from_the_next_and_last_from_the_settings(settings):
    settings.DLQ_RETRY_BACKOFF_BASE, settings.DLQ_RETRY_BACKOFF_CAP = 33, 44
    rows = row(GROUP, enabled=True), row(TYPE, max_retries=9), row(ALL, rate=0.5, max_retries=3)
    found = policies(*rows).of("order", "DEPENDENCY", 7)
    assert (found.enabled, found.max_retries, found.rate, found.backoff.cap) == (True, 9, 0.5, 44)
    assert {name: source.words for name, source in found.sources.items()} == {
        "enabled": "group 7",
        "action": "the default",
        "max_retries": "order",
        "backoff": "DLQ_RETRY_BACKOFF_BASE, _CAP",
        "window": "the default",
        "rate": "all dead letters",
    }


@pytest.mark.parametrize("category", ["PERMANENT", "BUSINESS"])
def test_what_time_does_not_mend_waits_unless_its_group_s_policy_says_otherwise(category):
    assert not policies().of("order", category).enabled
    assert policies().of("order", category).sources["enabled"].words == f"{category} waits for a person"
    # a type that is switched on is not meant with all its failures
    assert not policies(row(TYPE, enabled=True), row(ALL, enabled=True)).of("order", category).enabled
    assert policies(row(GROUP, enabled=True)).of("order", category, 7).enabled
    assert not policies(row(GROUP, enabled=True)).of("order", category, 8).enabled


def test_the_waits_are_fixed_or_grow_with_full_jitter():
    fixed = policies(row(TYPE, backoff="fixed", backoff_base_seconds=21_600)).of("order", "UNKNOWN").backoff
    assert {fixed.seconds(failed) for failed in (1, 2, 50)} == {21_600}
    grows = (
        policies(row(TYPE, backoff="exponential", backoff_base_seconds=10, backoff_cap_seconds=60))
        .of("order", "UNKNOWN")
        .backoff
    )
    assert all(
        0 <= grows.seconds(failed) <= most for failed, most in ((1, 10), (2, 20), (9, 60)) for _ in range(20)
    )


def test_who_pauses_all_pauses_also_what_has_a_policy_of_its_own():
    later = NOW + timedelta(hours=1)
    paused = {"paused_at": NOW, "paused_by": "user:1"}
    found = policies(row(ALL, **paused), row(TYPE, **paused | {"paused_until": later}), row(GROUP)).of(
        "order", "DEPENDENCY", 7
    )
    assert (found.pause.policy, found.pause.words, found.pause.until) == (ALL, "all dead letters", None)
    assert found.block_reason(NOW).code == "PAUSED"
    # what ran out is no pause
    only = policies(row(TYPE, **paused | {"paused_until": later})).of("order", "UNKNOWN")
    assert only.block_reason(NOW).until == later
    assert only.block_reason(later) is None


def test_what_is_held_says_until_when():
    shut = {"window_days": "thu", "window_begins": time(8), "window_ends": time(9), "window_zone": "UTC"}
    found = policies(row(TYPE, **shut)).of("order", "UNKNOWN").block_reason(NOW)
    assert (found.code, found.source.policy, found.until) == ("WINDOW", TYPE, NOW + timedelta(hours=20))
    off = policies(row(TYPE, enabled=False)).of("order", "UNKNOWN").block_reason(NOW)
    assert (off.code, off.source.words, off.until) == ("POLICY", "order", None)


def test_lanes_part_what_is_treated_differently_and_nothing_else():
    found = policies().lanes(["order", "bill"])
    assert [(lane.event_type, sorted(lane.categories)) for lane in found] == [
        ("order", ["DEPENDENCY", "TRANSIENT", "UNKNOWN"]),
        ("bill", ["DEPENDENCY", "TRANSIENT", "UNKNOWN"]),
    ]
    found = policies(row(GROUP, enabled=True)).lanes(["order", "bill"])
    assert [
        (lane.event_type, sorted(lane.categories), lane.only_groups, lane.but_groups) for lane in found
    ] == [
        ("order", ["DEPENDENCY", "TRANSIENT", "UNKNOWN"], None, (7,)),
        ("order", ["BUSINESS", "DEPENDENCY", "PERMANENT", "TRANSIENT", "UNKNOWN"], (7,), None),
        ("bill", ["DEPENDENCY", "TRANSIENT", "UNKNOWN"], None, None),
    ]


def test_what_may_not_run_has_no_lane():
    assert policies(row(TYPE, enabled=False)).lanes(["order"]) == []
    assert policies(row(ALL, paused_at=NOW)).lanes(["order", "bill"]) == []
    assert [lane.event_type for lane in policies(row(TYPE, paused_at=NOW)).lanes(["order", "bill"])] == [
        "bill"
    ]


@given(
    days=st.sets(st.sampled_from(DAYS), min_size=1),
    begins=st.times(),
    ends=st.times(),
    zone=st.sampled_from(["Europe/Berlin", "UTC", "Australia/Lord_Howe", "America/New_York"]),
    first=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
    hours=st.integers(1, 200),
    paused=st.integers(0, 300),
)
def test_the_runs_to_come_are_inside_the_window_and_rise(days, begins, ends, zone, first, hours, paused):
    """Whatever another policy opens in between, and however far apart the runs are."""
    first = first.replace(tzinfo=UTC)
    shut = {"window_days": ",".join(days), "window_begins": begins, "window_ends": ends, "window_zone": zone}
    until = first + timedelta(hours=paused)
    other = {"window_days": "wed", "window_begins": time(3), "window_ends": time(4), "window_zone": "UTC"}
    found = policies(row(TYPE, **shut, paused_at=first, paused_until=until), row(ALL, **other))
    policy = found.of("order", "UNKNOWN")
    runs = next_runs(found, policy, first, timedelta(hours=hours))
    assert len(runs) == 5
    assert all(earlier < later for earlier, later in pairwise([until - timedelta(microseconds=1), *runs]))
    assert all(policy.window.is_open(at) for at in runs)
