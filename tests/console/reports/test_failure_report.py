"""What failed, when and why: counted up to this minute; each number is that of its list."""

import csv
import io
import json
import re
from datetime import UTC, date, datetime, timedelta
from html import unescape

import pytest

from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter
from dlqconsole.pipeline.reports.failures import REPORT
from dlqconsole.reports.models import Report, ReportDay, ReportRow
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

DAY = date(2026, 1, 31)
NINE = datetime(2026, 1, 31, 9, tzinfo=UTC)
THEN = "?from=2026-01-31&to=2026-01-31"
CELL = re.compile(
    r'<a(?: class="[^"]*")? href="(/dead-letters/\?[^"]+)">(?:\s*<svg.*?</span>)?\s*([\d,]+)\s*</a>'
)


@pytest.fixture
def failed(letter):
    """Two groups on one day, one of them partly healed and discarded, and one group on the day before."""
    for status, number in (("PENDING", 3), ("EXHAUSTED", 1), ("SUCCEEDED", 4), ("DISCARDED", 2)):
        for _ in range(number):
            one = letter(
                error_reason="Lost: no account for jane.doe@example.org", status=status, created_at=NINE,
                first_failure_at=NINE, error_category="BUSINESS",
            )  # fmt: skip
            if status == "SUCCEEDED":
                Attempt.objects.create(
                    dlq_event_id=one,
                    kind="schedule",
                    outcome="succeeded",
                    finished_at=NINE + timedelta(hours=2),
                )
    letter(error_reason="=Gone: away", created_at=NINE, event_type="billing.due")
    letter(error_reason="Before: that", created_at=NINE - timedelta(days=1))
    return DeadLetter.objects.get(pk=one).group_id


def page(client, query: str = THEN) -> str:
    return " ".join(client.get(f"/reports/failures/{query}").content.decode().split())


def rows_of(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_each_line_says_what_failed_how_it_ended_and_what_healed_it(viewer, failed):
    text = page(viewer)
    for words in ("no account for", "4 by the schedule", "half within 2 h", "90.9"):
        assert words in text, words
    assert '<span class="value">11</span>' in text
    assert '<span class="value">4</span>' in text
    assert "Before: that" not in text


def test_how_only_the_newest_healed_is_said_so(viewer, letter):
    for _ in range(101):
        letter(status="SUCCEEDED", created_at=NINE, first_failure_at=NINE)
    ids = DeadLetter.objects.values_list("pk", flat=True)
    ends = {"kind": "schedule", "outcome": "succeeded", "finished_at": NINE}
    Attempt.objects.bulk_create(Attempt(dlq_event_id=number, **ends) for number in ids)
    assert "100 by the schedule (looked at: the newest 100)" in page(viewer)


def test_each_number_is_the_number_of_its_list(viewer, failed):
    cells = CELL.findall(page(viewer, "?from=2026-01-01&to=2026-01-31"))
    assert len(cells) >= 10
    for url, number in cells:
        assert f"{number} matching" in viewer.get(unescape(url)).content.decode(), url


def test_what_heals_is_counted_at_once(viewer, failed):
    DeadLetter.objects.filter(status="SUCCEEDED").delete()
    assert '<span class="label">Healed</span> <span class="value">0</span>' in page(viewer)
    Report.objects.all().delete()
    one = DeadLetter.objects.filter(group_id=failed, status="PENDING").first()
    DeadLetter.objects.filter(pk=one.pk).update(status="SUCCEEDED")
    assert '<span class="label">Healed</span> <span class="value">1</span>' in page(viewer)


def test_yesterday_is_one_click(viewer, letter):
    yesterday = datetime.now(UTC) - timedelta(days=1)
    letter(created_at=yesterday, error_reason="Then: it failed")
    letter(error_reason="Today: it failed")
    url = re.search(r'href="([^"]+)"[^>]*> Yesterday', page(viewer, ""))[1]
    text = " ".join(viewer.get(unescape(url)).content.decode().split())
    assert "Then: it failed" in text
    assert "Today: it failed" not in text


def test_a_type_or_category_narrows_the_page(viewer, failed):
    text = page(viewer, f"{THEN}&key=billing.due")
    assert "Gone: away" in text
    assert "no account for" not in text
    assert "no account for" in page(viewer, f"{THEN}&key=BUSINESS")


def test_a_title_passes_the_gate(viewer, failed):
    assert "jane.doe@example.org" not in page(viewer)


def test_who_sees_some_sees_the_rows_of_that(failed):
    limited_viewer = limited("viewer", [("billing.due", "*")])
    text = page(limited_viewer)
    assert "Gone: away" in text
    assert "no account for" not in text
    assert "100.0" in text, "a share of what is seen"
    [row] = rows_of(limited_viewer.get(f"/reports/failures/export.csv{THEN}"))
    assert row["reason"] == "'=Gone: away"


def test_the_file_has_the_numbers_of_the_page(viewer, failed):
    read = rows_of(viewer.get(f"/reports/failures/export.csv{THEN}"))
    assert [row["reason"] for row in read] == ["Lost", "'=Gone: away"]
    names = ("failures", "healed", "discarded", "still_open", "median_time_to_recover")
    assert [read[0][name] for name in names] == ["10", "4", "2", "4", "7200.0"]
    lines = viewer.get(f"/reports/failures/export.jsonl{THEN}&key=Lost").content.decode().splitlines()
    assert [json.loads(line)["failures"] for line in lines] == [10]
    assert AuditEntry.objects.filter(target="report:failures", action="export").count() == 2
    assert viewer.get("/reports/failures/export.xml").status_code == 404
    assert viewer.get("/reports/failures/export.csv?from=soon").status_code == 400


def test_what_nobody_sees_is_made_visible_for_people_and_exact_for_programs(viewer, letter):
    letter(event_type="lost\u202edegnahc", created_at=NINE)
    text = viewer.get(f"/reports/failures/export.csv{THEN}").content.decode()
    assert "lost⟦U+202E⟧degnahc" in text
    assert "\u202e" not in text
    lines = viewer.get(f"/reports/failures/export.jsonl{THEN}").content.decode().splitlines()
    assert "lost\u202edegnahc" in [json.loads(line)["event_type"] for line in lines]


def test_a_day_that_lost_events_keeps_the_lines_of_its_report(viewer, failed):
    """What was purged is counted no more: the report of the day knows it."""
    metrics = list(map(list, REPORT.metrics.items()))
    report = Report.objects.create(
        name="failures", title=REPORT.title, keys=list(REPORT.by), metrics=metrics, day_of="created_at"
    )
    key = {
        "event_type": "order.created", "reason": "Lost", "category": "BUSINESS", "group": str(failed),
        "queue": "order.created",
    }  # fmt: skip
    figures = dict.fromkeys(REPORT.metrics) | {
        "failures": 1_200, "share_of_failures": 1.0, "healed": 3, "discarded": 1, "still_open": 1_196,
        "healed_by_schedule": 2, "healed_by_revive": 1, "healed_after_edit": 1,
        "median_time_to_recover": 11520.0, "p90_time_to_recover": 90061.0,
    }  # fmt: skip
    ReportRow.objects.create(report=report, day=DAY, key=key, figures=figures)
    computed = datetime(2026, 2, 1, 0, 30, tzinfo=UTC)
    ReportDay.objects.create(report=report, day=DAY, changes=11, computed_at=computed)
    assert "1,200" not in page(viewer)
    DeadLetter.objects.filter(status="SUCCEEDED").delete()
    text = page(viewer)
    assert "As computed 2026-02-01 00:30 UTC: some were purged or archived since." in text
    for words in ("1,200", "2 by the schedule, 1 revived, 1 of them edited first", "half within 3 h 12 min"):
        assert words in text
    assert CELL.findall(text) == [], "their dead letters are gone"
    assert rows_of(viewer.get(f"/reports/failures/export.csv{THEN}"))[0]["failures"] == "1200"


def test_a_day_that_lost_events_before_any_report_says_so(viewer, failed):
    Report.objects.create(name="failures", title="", keys=[], metrics=[], day_of="created_at")
    DeadLetter.objects.filter(status="SUCCEEDED").delete()
    assert "4 purged or archived since: not counted." in page(viewer)


def test_days_without_a_failure_are_answered_and_many_are_cut(viewer, failed):
    assert "Nothing failed on these days" in page(viewer, "?from=2026-03-01&to=2026-03-02")
    answer = viewer.get("/reports/failures/?from=2020-01-01&to=2026-01-31")
    assert (answer.context["days"].until - answer.context["days"].since).days == 91
    assert answer.context["form"].errors == {}
    for far in ("0001-01-01", "9999-12-31"):
        assert "Nothing failed" in page(viewer, f"?from={far}&to={far}")


def test_the_list_of_reports_leads_to_it_before_anything_was_computed(viewer):
    text = " ".join(viewer.get("/reports/").content.decode().split())
    assert 'href="/reports/failures/">What failed, when and why</a>' in text
    assert "They are computed at 00:30 UTC" in text
