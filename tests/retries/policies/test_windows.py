"""Windows of the day and week, by the clock on the wall: over midnight, the week's end, in DST nights."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.retries.policies.windows import ALWAYS, DAYS, Window, days_in_words, is_zone, read_days

BERLIN = "Europe/Berlin"


def window(days: str, begins: str, ends: str, zone: str = BERLIN) -> Window:
    return Window(read_days(days), time.fromisoformat(begins), time.fromisoformat(ends), zone)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "begins", "ends", "opens", "closes"),
    [
        # a summer's day: two hours before UTC
        ("wed", "08:00", "17:00", "2026-07-01 06:00", "2026-07-01 15:00"),
        ("wed", "22:00", "06:00", "2026-07-01 20:00", "2026-07-02 04:00"),
        # Sunday's night goes on into Monday, though Monday is no day of it
        ("sun", "22:00", "06:00", "2026-07-05 20:00", "2026-07-06 04:00"),
        # the night of 2026-03-29: 02:00 is 03:00
        ("sun", "01:30", "02:30", "2026-03-29 00:30", "2026-03-29 01:30"),
        ("sun", "02:15", "02:45", "2026-03-29 01:00", "2026-03-29 01:45"),
        ("sun", "02:15", "03:10", "2026-03-29 01:00", "2026-03-29 01:10"),
        ("sat", "22:00", "06:00", "2026-03-28 21:00", "2026-03-29 04:00"),
        # the night of 2026-10-25: 02:00 to 03:00 comes twice
        ("sun", "02:15", "02:45", "2026-10-25 00:15", "2026-10-25 01:45"),
        ("sun", "01:00", "04:00", "2026-10-24 23:00", "2026-10-25 03:00"),
        ("sun", "00:00", "00:00", "2026-10-24 22:00", "2026-10-25 23:00"),
    ],
)
def test_a_window_opens_and_closes_by_the_wall(days, begins, ends, opens, closes):
    found, opens, closes = window(days, begins, ends), utc(opens), utc(closes)
    second = timedelta(seconds=1)
    assert found.next_open(opens - second) == opens
    assert [found.is_open(at) for at in (opens - second, opens, closes - second, closes)] == [
        False,
        True,
        True,
        False,
    ]
    assert found.closes(opens) == closes


def test_days_that_touch_are_one_opening():
    assert window("mon,tue", "00:00", "00:00").closes(utc("2026-07-06 12:00")) == utc("2026-07-07 22:00")
    whole_week = window(",".join(DAYS), "05:00", "05:00")
    assert whole_week.is_always
    assert whole_week.closes(utc("2026-07-06 12:00")) is None
    assert ALWAYS.is_open(utc("2026-07-06 12:00"))


@given(
    days=st.sets(st.integers(0, 6), min_size=1),
    begins=st.times(),
    ends=st.times(),
    zone=st.sampled_from([BERLIN, "UTC", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York"]),
    at=st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)),
)
def test_whatever_the_window_is_it_opens_within_eight_days_and_is_open_then(days, begins, ends, zone, at):
    found = Window(
        frozenset(days), begins.replace(second=0, microsecond=0), ends.replace(second=0, microsecond=0), zone
    )
    at = at.replace(tzinfo=UTC)
    opens = found.next_open(at)
    assert at <= opens <= at + timedelta(days=8)
    assert found.is_open(opens)
    closes = found.closes(opens)
    assert closes is None or (closes > opens and not found.is_open(closes))


def test_days_and_zones_have_words():
    assert days_in_words(read_days("mon,tue,wed,thu,fri,sun")) == "Mon to Fri, Sun"
    assert window("sat,sun", "22:00", "06:00").words() == "Sat, Sun, 22:00 to 06:00, Europe/Berlin"
    assert window("mon", "09:00", "09:00").words() == "Mon, 09:00 to 09:00 of the next day, Europe/Berlin"
    assert ALWAYS.words() == "at any time"
    assert is_zone("Europe/Berlin")
    assert not any(is_zone(name) for name in ("", "Europe/Nowhere", "berlin", "../etc/passwd", "\0"))
