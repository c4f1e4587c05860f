"""What functions in SQL say of policies is what our schedule makes of the same rows."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.configuration.settings import Settings
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.windows import DAYS, Window, window_columns
from tests.plain_sql import rows

pytestmark = pytest.mark.django_db
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
# clocks are put forward or back: New York, Berlin, Lord Howe
CHANGES = [datetime(2026, *day, tzinfo=UTC) for day in ((3, 8), (3, 29), (4, 4), (10, 3), (10, 25), (11, 1))]
NAMES = (
    "DLQ_RETRY_MAX_RETRIES", "DLQ_RETRY_BACKOFF_BASE", "DLQ_RETRY_BACKOFF_CAP", "DLQ_COME_BACKS",
    "DLQ_BREAKER_FAILURES",
)  # fmt: skip
OPEN = "SELECT retry_window_is_open(p, %s) FROM retry_policies p"


def random_window(dice: random.Random) -> Window:
    def hour():
        return datetime(
            2026, 1, 1, dice.choice([0, 1, 2, 2, 3, 22]), dice.choice([0, 15, 30]), tzinfo=UTC
        ).time()

    days = frozenset(dice.sample(range(7), dice.randint(1, 7)))
    return Window(days, hour(), hour(), dice.choice(ZONES))


@pytest.mark.parametrize("seed", range(20))
def test_a_window_is_open_at_the_same_moments(seed):
    dice = random.Random(seed)
    window = random_window(dice)
    RetryPolicy.objects.create(event_type="a", **window_columns(window))
    moments = [dice.choice(CHANGES) + timedelta(minutes=15 * dice.randint(-200, 200)) for _ in range(60)]
    differing = [at for at in moments if rows(OPEN, at) != [(window.is_open(at),)]]
    assert not differing, window


@pytest.mark.parametrize("seed", range(30))
def test_the_same_may_be_claimed(seed, letter):
    dice = random.Random(seed)
    groups = [letter_group(letter, reason) for reason in ("One: no", "Two: no")]
    for event_type, group in [(None, None), ("order.created", None), *((None, group) for group in groups)]:
        if dice.random() < 0.7:
            RetryPolicy.objects.create(event_type=event_type, group_id=group, **random_policy(dice))
    made = rows("SELECT categories, only_groups, but_groups, max_retries FROM retry_lanes('order.created')")
    found = {
        (category, tuple(only or ()), most)
        for categories, only, _but, most in made
        for category in categories
    }
    expected = {
        (category, lane.only_groups or (), lane.policy.max_retries)
        for lane in policies.read().lanes(["order.created"])
        for category in lane.categories
    }
    assert found == expected


def letter_group(letter, reason) -> int:
    [(group,)] = rows("SELECT group_id FROM dlq_events WHERE id = %s", letter(error_reason=reason))
    return group


def random_policy(dice: random.Random) -> dict[str, object]:
    now = datetime.now(UTC)
    columns: dict[str, object] = {"enabled": dice.choice([None, None, True, False])}
    columns["max_retries"] = dice.choice([None, 3, 7])
    if dice.random() < 0.3:
        columns |= {
            "paused_at": now,
            "paused_until": dice.choice([None, now - timedelta(hours=1), now + timedelta(hours=1)]),
        }
    if dice.random() < 0.4:
        day = DAYS[(now + timedelta(days=dice.choice([0, 3]))).weekday()]
        columns |= {
            "window_days": day,
            "window_begins": "00:00",
            "window_ends": "00:00",
            "window_zone": "UTC",
        }
    return columns


def test_limits_and_waits_come_from_the_same_policy(letter):
    group = letter_group(letter, "One: no")
    RetryPolicy.objects.create(
        max_retries=9, backoff="exponential", backoff_base_seconds=10, backoff_cap_seconds=40
    )
    RetryPolicy.objects.create(event_type="order.created", backoff="fixed", backoff_base_seconds=7)
    RetryPolicy.objects.create(group_id=group, max_retries=2)
    retry_limits.forget()
    for event_type, of_group in (
        ("order.created", group),
        ("order.created", 1),
        ("other", 1),
        ("other", group),
    ):
        limits = retry_limits.limits_for_group(event_type, of_group)
        longest = None if limits.backoff.jitter == 0 else limits.backoff.cap
        assert rows("SELECT * FROM retry_limits(%s, %s)", event_type, of_group) == [
            (limits.max_retries, limits.backoff.base, longest)
        ]
    retry_limits.forget()


def test_without_a_tick_the_settings_are_their_defaults(settings):
    defaults = {
        name: Settings.model_fields[name].default
        for name in NAMES
    }  # fmt: skip
    assert rows("SELECT * FROM retry_settings_now") == [tuple(defaults.values())]
    settings.DLQ_RETRY_MAX_RETRIES = 3
    retry_limits.note_settings()
    [(most, *_rest)] = rows("SELECT * FROM retry_settings_now")
    assert most == 3
