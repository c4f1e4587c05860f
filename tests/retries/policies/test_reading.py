"""Policies as the table has them; what plain SQL may not write, and what is read of what it may."""

import pytest
from django.db import IntegrityError, transaction

from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import reading
from tests.plain_sql import row

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "values",
    [
        {"group_id": 7, "event_type": "order"},
        {"max_retries": -1},
        {"rate": float("nan")},
        {"backoff": "fixed"},
        {"backoff_base_seconds": 60},
        {"backoff": "exponential", "backoff_base_seconds": 60},
        {"backoff": "exponential", "backoff_base_seconds": 60, "backoff_cap_seconds": 59},
        {"backoff": "exponential", "backoff_base_seconds": 60, "backoff_cap_seconds": float("inf")},
        {"window_days": "mon"},
        {"window_begins": "08:00", "window_ends": "09:00", "window_zone": "UTC"},
        {"window_days": "", "window_begins": "08:00", "window_ends": "09:00", "window_zone": "UTC"},
        {"window_days": "someday", "window_begins": "08:00", "window_ends": "09:00", "window_zone": "UTC"},
    ],
)
def test_the_table_refuses_what_makes_no_policy(values):
    with pytest.raises(IntegrityError), transaction.atomic():
        RetryPolicy.objects.create(**values)


def test_the_same_dead_letters_have_one_policy():
    RetryPolicy.objects.create(event_type="order")
    with pytest.raises(IntegrityError), transaction.atomic():
        RetryPolicy.objects.create(event_type="order")


def test_it_is_read_at_most_once_a_second(monkeypatch, django_assert_num_queries):
    assert reading.READ_EVERY_SECONDS == 1.0
    # a busy machine may take longer than that from one line to the next
    monkeypatch.setattr(reading, "READ_EVERY_SECONDS", 60.0)
    policies.forget()
    assert policies.current().of("order", "UNKNOWN").rate is None
    RetryPolicy.objects.create(event_type="order", rate=5)
    with django_assert_num_queries(0):
        assert policies.current().of("order", "UNKNOWN").rate is None
    monkeypatch.setattr(reading, "READ_EVERY_SECONDS", 0.0)
    assert policies.current().of("order", "UNKNOWN").rate == 5


def test_a_group_s_policy_is_a_lane_of_the_types_that_it_has(letters):
    letters(1)
    (group,) = row("SELECT group_id FROM dlq_events")
    RetryPolicy.objects.create(group_id=group, rate=2)
    found = policies.read().lanes(["order.created", "bill"])
    assert [(lane.event_type, lane.only_groups, lane.policy.rate) for lane in found] == [
        ("order.created", None, None),
        ("order.created", (group,), 2),
        ("bill", None, None),
    ]


def test_a_zone_that_is_none_is_read_as_utc():
    """As plain SQL may write it: no page and no run stumbles over it."""
    RetryPolicy.objects.create(
        window_days="mon", window_begins="08:00", window_ends="09:00", window_zone="Europe/Nowhere"
    )
    assert policies.read().of("order", "UNKNOWN").window.zone == "UTC"
