"""The ticks of periodic handlers, in their time zone; and what `@periodic` refuses."""

from datetime import UTC, datetime

import pytest

from dlqconsole.processing import handler, periodic
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.handlers import Period, load_handlers
from dlqconsole.processing.periods import latest_tick, next_tick

DAILY = Period("0 6 * * *", "Europe/Berlin", "")


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "latest", "following"),
    [
        ("2026-01-10T05:30", "2026-01-10T05:00", "2026-01-11T05:00"),
        ("2026-07-10T03:59", "2026-07-09T04:00", "2026-07-10T04:00"),
        ("2026-07-10T04:00:00.1", "2026-07-10T04:00", "2026-07-11T04:00"),
        # the clock is put forward at night, and back
        ("2026-03-29T12:00", "2026-03-29T04:00", "2026-03-30T04:00"),
        ("2026-10-25T12:00", "2026-10-25T05:00", "2026-10-26T05:00"),
    ],
)
def test_its_hours_are_those_of_its_time_zone(now, latest, following):
    assert latest_tick(DAILY, utc(now)) == utc(latest)
    assert next_tick(DAILY, utc(now)) == utc(following)


def test_an_hour_that_comes_twice_has_one_tick_and_one_that_is_skipped_has_one():
    at_two = Period("30 2 * * *", "Europe/Berlin", "")
    for day in ("2026-03-29", "2026-10-25"):
        first = next_tick(at_two, utc(f"{day}T00:00"))
        assert next_tick(at_two, first).date() > first.date()


@pytest.mark.parametrize(
    ("cron", "zone", "sentence"),
    [
        ("0 6 * *", "UTC", "it has five fields"),
        ("0 0 6 * * *", "UTC", "it has five fields"),
        ("61 6 * * *", "UTC", "Bad minute"),
        ("0 0 30 2 *", "UTC", "has no ticks"),
        ("0 6 * * *", "Europe/Atlantis", "No time zone found with key Europe/Atlantis"),
    ],
)
def test_what_has_no_tick_is_refused(cron, zone, sentence):
    with pytest.raises(HandlerSetupError, match=sentence):
        periodic(cron, timezone=zone)


def test_it_stands_above_a_handler():
    with pytest.raises(HandlerSetupError, match="stands above @handler"):
        periodic("0 6 * * *")(lambda event, lookups: None)

    @periodic("0 6 * * *")
    @handler("test_periods.a")
    def a(event, lookups):
        return None

    assert load_handlers(__name__).periods == {"test_periods.a": Period("0 6 * * *", "UTC", "")}
