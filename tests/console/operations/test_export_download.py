"""The download behind the list's Export button."""

import csv
import io

import pytest

from dlqconsole.engine.models import AuditEntry

pytestmark = pytest.mark.django_db(transaction=True)


def test_download_holds_what_the_list_shows(operator, letter):
    wanted = {letter("a") for _ in range(3)}
    letter("b")
    listed = operator.get("/dead-letters/?type=a")
    answer = operator.get(listed.context["export_urls"]["csv"])
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert {int(row["id"]) for row in rows} == wanted
    assert len(rows) == listed.context["count"].value


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_download_is_a_file_that_no_browser_opens(operator, letter, format):
    letter()
    answer = operator.get(f"/dead-letters/export.{format}?type=../../etc/passwd%22;x")
    assert answer["Content-Disposition"].startswith('attachment; filename="dead-letters-2')
    assert answer["Content-Disposition"].endswith(f'.{format}"')
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Security-Policy"] == "sandbox"
    answer.close()


def test_wrong_filter_exports_nothing(operator, letter):
    letter()
    answer = operator.get("/dead-letters/export.csv?status=NONE")
    assert answer.status_code == 400
    assert not AuditEntry.objects.exists()


def test_client_that_goes_away_is_audited_with_what_it_got(operator, letter):
    letter()
    answer = operator.get("/dead-letters/export.csv")
    next(iter(answer.streaming_content))
    answer.close()
    assert AuditEntry.objects.get(action="export").detail["completed"] is False
