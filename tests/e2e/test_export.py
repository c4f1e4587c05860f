"""J10: filter, export in any format, which goes on in the background, and download."""

import re
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import expect

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.processing.formats import FORMATS
from tests.accounts import actor_of
from tests.e2e.journeys import Hand, assert_accessible
from tests.exported import rows_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROWS = 3_000
LONG_NUMBER = "1234567890123456789"
_FILL = """
    INSERT INTO dlq_events (event_type, payload, error_reason)
    SELECT 'order.created', jsonb_build_object('n', 1234567890123456789, 'email', 'joe@example.org'), '=1+1'
    FROM generate_series(1, %s) UNION ALL SELECT 'another', '{}', '' FROM generate_series(1, 5)
"""


def test_a_filter_leaves_as_a_file_of_each_format_with_three_clicks(
    signed_in, live_server, worker, tmp_path: Path
):
    with connection.cursor() as cursor:
        cursor.execute(_FILL, [ROWS])
        cursor.execute(
            "SELECT id::text FROM dlq_events WHERE event_type = 'order.created' ORDER BY dlq_events.id"
        )
        there = [str(number) for (number,) in cursor.fetchall()]
    worker()
    page = signed_in("operator")
    for format in FORMATS.values():
        page.goto(f"{live_server.url}/dead-letters/?type=order.created")
        hand = Hand(page)
        hand.click(page.get_by_text("Export 3,000"))
        if format.name == "csv":
            assert_accessible(page)
        hand.click(page.get_by_role("button", name=format.label, exact=True))
        page.wait_for_url(re.compile(r"/operations/\d+/"))
        download = page.get_by_role("link", name=re.compile("^Download"))
        expect(download).to_be_visible(timeout=30_000)
        with page.expect_download() as taken:
            hand.click(download)
        assert hand.clicks <= 4
        target = tmp_path / taken.value.suggested_filename
        taken.value.save_as(target)
        assert target.suffix == f".{format.suffix}"
        rows = rows_of(target.read_bytes(), format.name)
        assert [row["id"] for row in rows] == there
        assert all(LONG_NUMBER in str(row["payload"]) for row in rows)
        assert not any("joe@" in str(row["payload"]) for row in rows)
        # a spreadsheet's own mark says the same for XLSX; Parquet and JSON Lines are no spreadsheets
        assert {row["error_reason"] for row in rows} == {"'=1+1" if format.suffix == "csv" else "=1+1"}
    expect(page.locator("#op-progress")).to_contain_text("3,000 rows")
    assert_accessible(page)
    assert set(Operation.objects.values_list("done", flat=True)) == {ROWS}
    asked = AuditEntry.objects.filter(action="request export", actor=actor_of("operator"))
    assert asked.count() == AuditEntry.objects.filter(action="download export").count() == len(FORMATS)
