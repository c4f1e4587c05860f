"""The daily report by itself: once a day, and what was missed or came late is made up for."""

from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.configuration.time_of_day import TimeOfDay
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.reports import schedule
from dlqconsole.reports.models import Report, ReportDay
from dlqconsole.runs.models import PipelineRun
from tests.plain_sql import execute, rows

pytestmark = pytest.mark.django_db

YESTERDAY = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture(autouse=True)
def _house(settings) -> None:
    """It stands for a month, and the report is made at this minute."""
    settings.DLQ_REPORT_AT = f"{datetime.now(UTC):%H:%M} UTC"
    execute("UPDATE django_migrations SET applied = applied - interval '30 days'")


def a_failure(days_ago: int = 1) -> DeadLetter:
    made = datetime.now(UTC) - timedelta(days=days_ago)
    return DeadLetter.objects.create(
        event_type="t", source="s", source_key=str(made), error_reason="Lost: x", created_at=made
    )


def end(run_id: int, status: str) -> None:
    PipelineRun.objects.filter(pk=run_id).update(status=status)


def test_it_asks_once_for_what_is_open():
    a_failure()
    asked = PipelineRun.objects.get(pk=schedule.tick())
    assert (asked.kind, asked.asked_by, asked.arguments) == ("report", "schedule", {"which": "open"})
    assert AuditEntry.objects.get(target=f"pipeline_run:{asked.pk}").actor == "schedule"
    assert schedule.tick() is None
    end(asked.pk, "completed")
    assert schedule.tick() is None


def test_nothing_open_asks_for_nothing():
    assert schedule.tick() is None
    a_failure(days_ago=0)
    assert schedule.tick() is None, "a day that is not over"


def test_it_may_be_off(settings):
    a_failure()
    settings.DLQ_REPORT_AT = "off"
    assert schedule.tick() is None


def test_a_new_house_waits_for_its_first_time():
    a_failure()
    execute("UPDATE django_migrations SET applied = now()")
    assert schedule.tick() is None


def test_it_waits_while_an_ingest_is_in_the_middle_of_its_events():
    a_failure()
    ingest = PipelineRun.objects.create(kind="ingest", status="running", total=10, done=5)
    assert schedule.tick() is None
    PipelineRun.objects.filter(pk=ingest.pk).update(done=10)
    assert schedule.tick()


def test_what_failed_is_asked_for_again_an_hour_later():
    a_failure()
    first = schedule.tick()
    end(first, "failed")
    assert schedule.tick() is None
    PipelineRun.objects.filter(pk=first).update(asked_at=datetime.now(UTC) - timedelta(minutes=61))
    assert schedule.tick() not in (None, first)


def test_days_that_a_worker_missed_are_one_run():
    """It was down for a week: what was asked for before it is long past, and all days are open."""
    old = PipelineRun.objects.create(kind="report", status="completed", asked_by="schedule")
    PipelineRun.objects.filter(pk=old.pk).update(asked_at=datetime.now(UTC) - timedelta(days=7))
    for days in (1, 2, 6):
        a_failure(days)
    assert schedule.tick()
    assert PipelineRun.objects.filter(status="asked").count() == 1


def test_the_marks_are_folded_and_say_the_same():
    Report.objects.create(name="failures", title="F", keys=[], metrics=[], day_of="created_at")
    letter, query = a_failure(), "SELECT day, changes, removed FROM report_day_marks('failures', NULL, NULL)"
    DeadLetter.objects.filter(pk=letter.pk).update(error_category="PERMANENT")
    before = rows(query)
    assert before == [(YESTERDAY.date(), 2, 0)]
    assert schedule.fold() > 0
    assert (rows(query), rows("SELECT count(*) FROM event_changes")) == (before, [(0,)])
    letter.delete()
    assert schedule.fold() > 0
    assert rows(query) == [(YESTERDAY.date(), 2, 1)]


def test_a_late_change_is_a_reason_to_ask_again():
    Report.objects.create(name="failures", title="F", keys=[], metrics=[], day_of="created_at")
    letter = a_failure()
    ReportDay.objects.create(report_id="failures", day=YESTERDAY.date(), changes=1)
    assert schedule.tick() is None
    DeadLetter.objects.filter(pk=letter.pk).update(error_category="PERMANENT")
    assert schedule.tick()


@pytest.mark.parametrize(
    ("said", "now", "last"),
    [
        ("06:00", "2026-01-02T05:59", "2026-01-01T06:00"),
        ("6:00 UTC", "2026-01-02T06:00", "2026-01-02T06:00"),
        ("06:00 Europe/Berlin", "2026-01-02T05:30", "2026-01-02T05:00"),
        ("23:30 America/New_York", "2026-07-02T03:00", "2026-07-01T03:30"),
    ],
)
def test_a_time_of_the_day_is_that_of_its_zone(said, now, last):
    found = TimeOfDay.parse(said).last_before(datetime.fromisoformat(f"{now}+00:00"))
    assert found == datetime.fromisoformat(f"{last}+00:00")


def test_what_is_no_time_is_refused():
    assert TimeOfDay.parse(" OFF ") is None
    for text, words in (
        ("25:00", "a time of the day like"),
        ("", "or off"),
        ("06:00 Mars", "no timezone 'Mars'"),
        ("06:00 localtime", "no timezone 'localtime'; one is Europe/Berlin"),
        ("06:00 posixrules", "no timezone 'posixrules'"),
        ("06:00 Factory", "no timezone 'Factory'"),
        ("06:00 ../UTC", "no timezone '../UTC'"),
    ):
        with pytest.raises(ValueError, match=words):
            TimeOfDay.parse(text)
