"""The archive's run is asked for once a day, and sooner after a failure."""

import pytest

from dlqconsole.contrib.archive.run import request_when_due
from dlqconsole.runs.models import PipelineRun
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db


def ended(run_id: int, status: str, hours: int) -> None:
    execute(
        "UPDATE pipeline_runs SET status = %s, started_at = now() - make_interval(hours => %s) WHERE id = %s",
        status,
        hours,
        run_id,
    )


@pytest.mark.parametrize(
    ("status", "hours", "is_due"),
    [("completed", 23, False), ("completed", 25, True), ("failed", 0, False), ("failed", 2, True)],
)
def test_once_a_day(status, hours, is_due):
    first = request_when_due()
    run = PipelineRun.objects.get(pk=first)
    assert (run.kind, run.asked_by, run.status) == ("archive", "archive", "asked")
    assert request_when_due() is None
    ended(first, status, hours)
    assert (request_when_due() is not None) is is_due


def test_what_is_switched_off_asks_for_nothing(settings):
    settings.DLQ_ARCHIVE_AFTER_DAYS = 0
    assert request_when_due() is None
    assert not PipelineRun.objects.exists()
