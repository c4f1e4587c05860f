"""What goes on by itself has a line each on the first page; while data loads, the page says so."""

import pytest

from dlqconsole.reports.models import Report
from dlqconsole.runs.models import PipelineRun
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db


def page(client) -> str:
    return " ".join(client.get("/").content.decode().split())


def test_schedule_breakers_and_the_last_report_are_told(viewer, settings):
    settings.DLQ_RETRY_ENABLED = True
    Report.objects.create(name="daily", title="Flights per day", keys=[], metrics=[])
    text = page(viewer)
    for words in ("next run", "all closed", "Flights per day"):
        assert words in text
    settings.DLQ_RETRY_ENABLED = False
    assert "off (DLQ_RETRY_ENABLED)" in page(viewer)


def test_who_sees_some_is_told_of_no_report(db):
    Report.objects.create(name="daily", title="Flights per day", keys=[], metrics=[])
    assert "Flights per day" not in page(limited("viewer", [("billing", "*")]))


def test_while_data_loads_the_figures_are_said_to_grow(viewer, letter):
    letter()
    assert "Data is loading" not in page(viewer)
    PipelineRun.objects.create(kind="ingest", subject="flights", total=900, done=300, unit="lines")
    text = page(viewer)
    assert "Data is loading" in text
    assert "has read 300 of 900 lines" in text
