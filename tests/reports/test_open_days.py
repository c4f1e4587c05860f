"""What a report's page says of a day: open, or kept as it is, and never both."""

from datetime import UTC, date, datetime

import pytest

from dlqconsole.reports.open_days import DayMark

DAY, AFTER = date(2026, 1, 1), datetime(2026, 1, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("late", "lost", "whole", "is_open", "is_kept"),
    [
        (1, 0, True, True, False),
        (1, 2, True, False, True),
        (1, 2, False, True, False),
        (0, 2, True, False, True),
        (0, 0, True, False, False),
    ],
)
def test_a_day_is_open_or_keeps_its_figures(late, lost, whole, is_open, is_kept):
    mark = DayMark(DAY, late, lost, AFTER, None, is_over=True, was_computed_after_it=whole)
    assert (mark.is_open, mark.is_kept) == (is_open, is_kept)
