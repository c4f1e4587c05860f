"""What burns stands first: what comes faster than its own past lets expect."""

from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.models import Attempt, DeadLetter

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


@pytest.fixture
def failed(letter):
    """failed("Lost", 5, hours=2): so many dead letters with this reason, so long ago."""

    def fail(reason: str, number: int = 1, hours: float = 0, **columns) -> int:
        at = NOW - timedelta(hours=hours)
        for place in range(number):
            columns |= {"source_key": f"{reason}/{hours}/{place}", "source": "test"}
            one = letter(error_reason=f"{reason}: it said no", created_at=at, **columns)
        return DeadLetter.objects.get(pk=one).group_id

    return fail


def test_what_comes_as_ever_stands_behind_what_is_new(failed):
    usual = failed("Usual", 6)
    for hours in range(2, 22):
        failed("Usual", 6, hours)
    new = failed("New", 4)
    rows = group_figures.burning()
    assert [row["id"] for row in rows] == [new, usual]
    assert (rows[0]["usual"], rows[0]["recent"]) == (0, 4)
    assert rows[1]["usual"] == pytest.approx(6, rel=0.2)


def test_what_has_stopped_stands_behind_what_goes_on(failed):
    stopped, going = failed("Stopped", 30, 20), failed("Going", 3)
    rows = group_figures.burning()
    assert [row["id"] for row in rows] == [going, stopped]
    assert rows[1]["rate"] == 0


def test_what_heals_without_a_person_is_told(failed, letter):
    failed("Passing", 1, status="EXHAUSTED")
    assert group_figures.burning()[0]["heals"] == 0
    for kind in ("schedule", "operation", "schedule"):
        healed = letter(error_reason="Passing: it said no", status="SUCCEEDED")
        Attempt.objects.create(dlq_event_id=healed, kind=kind, outcome="succeeded")
    assert group_figures.burning()[0]["heals"] == pytest.approx(2 / 4)


def test_the_first_page_says_rate_and_first_seen(viewer, failed):
    failed("Old", 1, 30)
    failed("Old", 3)
    text = " ".join(viewer.get("/").content.decode().split())
    assert "1.5" in text or "2" in text
    assert "first <time" in text
    assert "1 d ago</time>" in text
