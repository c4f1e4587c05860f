"""The failure report: counts that agree with the rows, whoever healed them; it needs no Spark."""

import json
from datetime import UTC, date, datetime
from itertools import count

import pyarrow.parquet as parquet
import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.pipeline.reports import failures
from dlqconsole.pipeline.reports.job import report
from tests.moving import bring_to

pytestmark = pytest.mark.django_db(transaction=True)

DAY = date(2026, 1, 31)
_numbers = count(1)


@pytest.fixture
def compute(pipeline_settings):
    def run(**asked) -> int:
        given = {"days": None, "names": ["failures"], "output": None, **asked}
        return report(pipeline_settings, **given)

    return run


@pytest.fixture
def figures(rows):
    """figures() by reason: the figures of the one day."""

    def read() -> dict[str, dict]:
        found = rows("SELECT key, figures FROM report_rows WHERE report_id = 'failures' AND day = %s", DAY)
        return {row["key"]["reason"]: row["figures"] for row in found}

    return read


def failed(reason: str, *, at: str = "10:00", kind: str = "order.created", **fields) -> DeadLetter:
    moment = datetime.fromisoformat(f"{DAY}T{at}:00+00:00")
    return DeadLetter.objects.create(
        event_type=kind,
        source="shop",
        source_key=str(next(_numbers)),
        payload={"n": 1},
        error_reason=f"{reason}: x",
        created_at=moment,
        first_failure_at=moment,
        **fields,
    )


def healed(letter: DeadLetter, kind: str, at: str) -> None:
    bring_to("SUCCEEDED", DeadLetter.objects.filter(pk=letter.pk))
    moment = datetime.fromisoformat(f"{DAY}T{at}:00+00:00")
    Attempt.objects.create(dlq_event_id=letter.pk, kind=kind, outcome="succeeded", finished_at=moment)


def test_each_reason_of_a_day_is_counted_with_how_it_ended(compute, figures):
    for minute, kind in enumerate(("schedule", "operation", "revive", "replay", "console"), 1):
        healed(failed("Lost"), kind, f"10:0{minute}")
    bring_to("DISCARDED", DeadLetter.objects.filter(pk=failed("Lost").pk))
    failed("Other", at="00:00")
    failed("Other", at="23:59")
    compute(days=[DAY])
    assert {name: figure for name, figure in figures()["Lost"].items() if figure} == {
        "failures": 6,
        "share_of_failures": 0.75,
        "healed": 5,
        "discarded": 1,
        "median_time_to_recover": 180,
        "p90_time_to_recover": 276,
        "healed_by_schedule": 1,
        "healed_by_retry": 1,
        "healed_by_revive": 1,
        "healed_by_replay": 1,
        "healed_otherwise": 1,
    }
    assert figures()["Other"]["still_open"] == 2


def test_each_queue_and_group_is_a_row_of_its_own(compute, rows):
    for queue in ("a", "b", "b", None):
        failed("Lost", queue=queue)
    compute(days=[DAY])
    found = rows("SELECT key ->> 'queue' AS queue, figures FROM report_rows ORDER BY 1")
    assert [(row["queue"], row["figures"]["failures"]) for row in found] == [
        ("a", 1),
        ("b", 2),
        ("order.created", 1),
    ]


def test_shares_are_of_all_failures_and_of_the_events_that_are_known(compute, figures, rows):
    letter = failed("Lost")
    failed("Lost", kind="order.paid")
    for number in range(3):
        rows(
            "INSERT INTO enriched_events (event_type, source, source_key, record, created_at)"
            " VALUES ('order.created', 's', %s, '{}', %s)",
            str(number),
            datetime(2026, 1, 31, 12, tzinfo=UTC),
        )
    # healed later the same day: one event, and a failure
    rows(
        "INSERT INTO enriched_events (event_type, source, source_key, record, created_at)"
        " VALUES ('order.created', %s, %s, '{}', %s)",
        letter.source,
        letter.source_key,
        datetime(2026, 1, 31, 13, tzinfo=UTC),
    )
    compute(days=[DAY])
    found = {
        row["key"]["event_type"]: row["figures"]
        for row in rows("SELECT key, figures FROM report_rows WHERE report_id = 'failures'")
    }
    assert found["order.created"]["share_of_failures"] == found["order.paid"]["share_of_failures"] == 0.5
    assert (found["order.created"]["share_of_events"], found["order.paid"]["share_of_events"]) == (0.25, None)


def test_an_edit_before_the_success_is_told(compute, figures, rows):
    letter = failed("Broken")
    rows("UPDATE dlq_events SET payload = %s WHERE id = %s", json.dumps({"n": 2}), letter.pk)
    healed(letter, "operation", "11:30")
    compute(days=[DAY])
    told = figures()["Broken"]
    assert (told["healed_by_retry"], told["healed_after_edit"], told["median_time_to_recover"]) == (
        1,
        1,
        5400,
    )


def test_open_days_are_those_that_changed_and_the_run_is_repeatable(compute, figures, rows):
    letter = failed("Lost")
    compute(open_days=True)
    before = figures()
    compute(open_days=True)
    (*_, last) = rows("SELECT message FROM pipeline_runs ORDER BY id")
    assert (figures(), last["message"]) == (before, "failures: no day is open")
    healed(letter, "schedule", "12:00")
    compute(open_days=True)
    assert figures()["Lost"] | {"share_of_events": None} == before["Lost"] | {
        "healed": 1,
        "still_open": 0,
        "healed_by_schedule": 1,
        "median_time_to_recover": 7200,
        "p90_time_to_recover": 7200,
    }


def test_its_files_hold_the_same_rows(compute, figures, pipeline_settings):
    failed("Lost")
    compute()
    folder = pipeline_settings.data / "reports" / "failures"
    (row,) = parquet.read_table(folder / "month=2026-01" / "rows.parquet", partitioning=None).to_pylist()
    key = {name: row.pop(name) for name in failures.REPORT.by}
    assert (row.pop("day"), key["reason"]) == (DAY, "Lost")
    assert row == figures()["Lost"]
