"""Days and times: what people write, and nothing that only looks like it."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.times import as_day, as_moment, read_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-21", date(2026, 11, 21)), ("2026-1-5", date(2026, 1, 5)), ("20261121", date(2026, 11, 21)),
        ("2024-02-30", None), ("31/31/2024", None), ("tomorrow", None), ("", None), ("99999-01-01", None),
        ("\u0662\u0660\u0662\u0664-\u0661\u0661-\u0662\u0661", None), ("2026-11-21\x00", None),
    ],
)  # fmt: skip
def test_a_day_is_one_of_the_calendar(text, day):
    assert as_day(text) == day


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-21", datetime(2026, 11, 21)),
        ("2026-11-21T03:00", datetime(2026, 11, 21, 3)),
        ("2026-1-5 3:07", datetime(2026, 1, 5, 3, 7)),
        ("2026-11-21 03:00:07.5", datetime(2026, 11, 21, 3, 0, 7, 500_000)),
        ("2026-11-21T03:00+02:00", datetime(2026, 11, 21, 1)),
        ("2026-11-21 03:00 -0130", datetime(2026, 11, 21, 4, 30)),
        ("2026-11-21T03:00Z", datetime(2026, 11, 21, 3)),
        ("2026-11-21T25:00", None),
        ("0001-01-01T00:00+09:00", None),
        ("9999-12-31T23:59-05:00", None),
        ("\udc80", None),
    ],
)
def test_a_moment_is_in_utc(text, moment):
    assert as_moment(text) == (moment and moment.replace(tzinfo=UTC))


def test_what_is_no_day_is_said_in_one_sentence():
    with pytest.raises(InvalidInput) as refused:
        read_day("next\nweek" + "x" * 100, "The first day")
    assert str(refused.value).startswith("The first day is a date such as 2026-11-21; it is “next week")
    assert len(str(refused.value)) < 120


@given(st.text(max_size=40) | st.from_regex(r"[0-9]{1,5}-[0-9]{1,2}-[0-9]{1,2}[T ]?.{0,20}"))
def test_whatever_stands_there_is_a_moment_or_none(text):
    moment, day = as_moment(text), as_day(text)
    assert moment is None or moment.tzinfo is UTC
    assert day is None or as_moment(text) is not None


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_read_as_it_is_written(moment):
    assert as_moment(moment.isoformat()) == moment
    assert as_day(moment.date().isoformat()) == moment.date()
