"""Times: by the clock that the browser names; UTC is said beside each, and where no clock is known."""

from datetime import UTC, datetime

import pytest

from dlqconsole.console.parts.viewers_zone import COOKIE
from dlqconsole.engine.moments import moment

pytestmark = pytest.mark.django_db

FAILED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "title", "footer"),
    [
        (None, "2026-01-02 03:04:05 UTC", "Times: UTC;"),
        ("UTC", "2026-01-02 03:04:05 UTC", "Times: UTC;"),
        ("Nowhere/Land", "2026-01-02 03:04:05 UTC", "Times: UTC;"),
        ("../../etc/passwd", "2026-01-02 03:04:05 UTC", "Times: UTC;"),
        (
            "Asia/Shanghai",
            "2026-01-02 11:04:05 UTC+8 (2026-01-02 03:04:05 UTC)",
            "Times: Asia/Shanghai (UTC+8);",
        ),
        (
            "America/Caracas",
            "2026-01-01 23:04:05 UTC-4 (2026-01-02 03:04:05 UTC)",
            "Times: America/Caracas (UTC-4);",
        ),
        ("Asia/Kolkata", "2026-01-02 08:34:05 UTC+5:30 (2026-01-02 03:04:05 UTC)", "Times: Asia/Kolkata"),
    ],
)
def test_a_moment_is_told_by_the_viewers_clock_with_utc_in_its_title(viewer, letter, zone, title, footer):
    one = letter(first_failure_at=FAILED, dead_lettered_at=FAILED)
    if zone:
        viewer.cookies[COOKIE] = zone
    page = viewer.get(f"/dead-letters/{one}/").content.decode()
    assert f'<time datetime="2026-01-02T03:04:05+00:00" title="{title}">' in page
    assert footer in page


def test_a_sentence_has_the_same_clock_and_a_command_has_utc(viewer, letter, settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    one = letter(retry_after="2090-01-02T03:04:05Z")
    viewer.cookies[COOKIE] = "Asia/Shanghai"
    page = viewer.get(f"/dead-letters/{one}/").content.decode()
    assert "It waits until 2090-01-02 11:04:05 UTC+8 for try 1 of" in page
    assert moment(FAILED) == "2026-01-02 03:04:05 UTC"


def test_a_days_filter_means_the_same_to_everybody(viewer, letter):
    """An address is handed on: its days are UTC's, whatever the clock of who opens it."""
    letter(created_at="2026-01-01T23:30:00Z")
    viewer.cookies[COOKIE] = "Asia/Shanghai"
    assert viewer.get("/dead-letters/?since=2026-01-02").context["rows"] == []
    assert len(viewer.get("/dead-letters/?since=2026-01-01").context["rows"]) == 1
