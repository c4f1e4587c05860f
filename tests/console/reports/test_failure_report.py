"""The failure report's page: what failed and how it ended, masked, within the scope, and as a file."""

import csv
import io
import json
from datetime import UTC, date, datetime

import pytest
from django.db import connection

from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup
from dlqconsole.pipeline.reports.failures import REPORT
from dlqconsole.reports.models import Report, ReportDay, ReportRow
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

DAY = date(2026, 1, 31)
NINE = datetime(2026, 1, 31, 9, tzinfo=UTC)


@pytest.fixture
def declared() -> Report:
    metrics = list(map(list, REPORT.metrics.items()))
    return Report.objects.create(
        name="failures", title=REPORT.title, keys=list(REPORT.by), metrics=metrics, day_of="created_at"
    )


def a_row(
    report: Report, group: int, failures: int, reason: str = "Lost", queue: str = "orders", **more
) -> None:
    key = {"event_type": "order.created", "reason": reason, "category": "BUSINESS", "group": str(group)}
    figures = dict.fromkeys(REPORT.metrics) | {
        "failures": failures,
        "share_of_failures": 0.25,
        "healed": 3,
        "discarded": 1,
        "still_open": failures - 4,
        "healed_by_schedule": 2,
        "healed_by_revive": 1,
        "healed_after_edit": 1,
        "median_time_to_recover": 11520.0,
        "p90_time_to_recover": 90061.0,
    }
    ReportRow.objects.create(report=report, day=DAY, key=key | {"queue": queue}, figures=figures)


@pytest.fixture
def failures(declared) -> Report:
    FailureGroup.objects.create(
        id=7,
        event_type="order.created",
        error_category="BUSINESS",
        error_class="Lost",
        frames="",
        message="no account for jane.doe@example.org",
    )
    a_row(declared, 7, 1_200)
    a_row(declared, 8, 40, reason="=Gone")
    return declared


def page(client, query: str = "") -> str:
    return " ".join(client.get(f"/reports/failures/{query}").content.decode().split())


def test_each_line_says_what_failed_how_much_and_what_healed_it(viewer, failures):
    text = page(viewer)
    assert 'href="/groups/7/"' in text
    assert 'href="/groups/8/"' not in text, "that group is gone"
    assert 'href="/dead-letters/?group=7&amp;since=2026-01-31&amp;until=2026-02-01">1,200</a>' in text
    for words in (
        "25.0 %",
        "2 by the schedule",
        "1 revived",
        "1 of them edited first",
        "3 h 12 min",
        "1 d 1 h",
    ):
        assert words in text
    assert text.index("1,200</a>") < text.index("40</a>")
    assert '<span class="value">1,240</span>' in text


def test_a_title_passes_the_gate(viewer, failures):
    assert "jane.doe@example.org" not in page(viewer)
    assert "no account for" in page(viewer)


def test_what_the_mask_hides_is_none_to_choose_from(viewer, failures):
    a_row(failures, 9, 10, queue="ann@example.org")
    a_row(failures, 10, 10, queue="billing")
    text = page(viewer)
    assert 'value="billing"' in text
    assert "ann@example.org" not in text


def test_who_sees_some_sees_the_rows_of_that_and_no_share_of_all(failures):
    limited_viewer = limited("viewer", [("billing", "*")])
    a_row(failures, 9, 10, reason="Other", queue="billing")
    text = page(limited_viewer)
    assert "Other" in text
    assert "1,200" not in text
    assert "Of the day" not in text
    answer = limited_viewer.get("/reports/failures/export.csv")
    [row] = csv.DictReader(io.StringIO(answer.content.decode()))
    assert row["reason"] == "Other"
    assert "share_of_failures" not in row


def test_rows_leave_as_a_file_that_no_spreadsheet_runs(viewer, failures):
    answer = viewer.get("/reports/failures/export.csv?from=2026-01-31")
    read = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["reason"] for row in read] == ["Lost", "'=Gone"]
    assert (read[0]["failures"], read[0]["share_of_events"]) == ("1200", "")
    lines = viewer.get("/reports/failures/export.jsonl?key=Lost").content.decode().splitlines()
    assert [json.loads(line)["median_time_to_recover"] for line in lines] == [11520.0]
    assert AuditEntry.objects.filter(target="report:failures", action="export").count() == 2
    assert viewer.get("/reports/failures/export.xml").status_code == 404
    assert viewer.get("/reports/failures/export.csv?from=soon").status_code == 400


def test_what_nobody_sees_is_made_visible_for_people_and_exact_for_programs(viewer, failures):
    a_row(failures, 9, 10, reason="Lost\u202edegnahc")
    a_row(failures, 10, 10, reason="\u200b=1+1")
    text = viewer.get("/reports/failures/export.csv").content.decode()
    assert "Lost⟦U+202E⟧degnahc" in text
    assert '"⟦U+200B⟧=1+1"' in text
    assert "\u202e" not in text
    lines = viewer.get("/reports/failures/export.jsonl").content.decode().splitlines()
    assert "Lost\u202edegnahc" in [json.loads(line)["reason"] for line in lines]


def test_an_open_day_says_when_it_was_computed_and_how_much_came_late(viewer, failures):
    computed = datetime(2026, 2, 1, 0, 30, tzinfo=UTC)
    ReportDay.objects.create(report=failures, day=DAY, changes=1, computed_at=computed)
    assert "open" not in page(viewer).split("</summary>")[0].split("Failures per day")[-1]
    for number in range(3):
        DeadLetter.objects.create(
            event_type="t",
            source="s",
            source_key=str(number),
            created_at=datetime(2026, 1, 31, 9, tzinfo=UTC),
        )
    text = page(viewer)
    assert "1 day of these is open" in text
    assert "computed at 2026-02-01 00:30 UTC, 2 late changes since" in text
    assert "The run at 00:30 UTC computes them anew." in text
    listed = " ".join(viewer.get("/reports/").content.decode().split())
    assert '<td class="num" data-label="Open days">1</td>' in listed


def test_a_day_that_lost_events_says_why_it_stays(viewer, failures):
    letter = DeadLetter.objects.create(event_type="t", source="s", source_key="1", created_at=NINE)
    letter.delete()
    ReportDay.objects.create(report=failures, day=DAY, changes=1, kept_at=datetime(2026, 2, 2, tzinfo=UTC))
    assert "it keeps its figures: 1 of its events was purged or archived since" in page(viewer)


def test_a_report_that_was_never_computed_is_answered(viewer, declared):
    Report.objects.update(updated_at=None)
    assert "not computed yet" in page(viewer)
    assert "No row yet" in page(viewer)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM reports")
    assert "They are computed at 00:30 UTC" in " ".join(viewer.get("/reports/").content.decode().split())
