"""Reports: the figures equal an independent count, and a reader never sees half of one."""

from dataclasses import replace
from datetime import date

import orjson
import pyarrow.parquet as parquet
import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.reports.job import report
from dlqconsole.pipeline.reports.manifest import verify
from tests.moving import bring_to
from tests.sizes import sized

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark, pytest.mark.sized]

# a third of them on each of three days
EVENTS = sized(300, 3_000)

ONE_DAY = "SELECT count(*) FROM enriched_events WHERE date(occurred_at AT TIME ZONE 'UTC') = '2026-02-01'"
DAYS = ("2026-01-31", "2026-02-01", "2026-02-02")


def an_event(number: int) -> dict:
    kind, do = ("order.created", "order.lost")[number % 5 == 0], ("", "business")[number % 7 == 0]
    time = f"{DAYS[number % 3]}T12:00:00Z"
    return {
        "specversion": "1.0",
        "id": str(number),
        "source": "shop",
        "type": kind,
        "time": time,
        "data": {"do": do},
    }


@pytest.fixture
def ingested(spark, ingest_here):
    """Return what was made for a day; one more was, for none, and is of no report."""
    made = [an_event(number) for number in range(EVENTS)]
    timeless = {name: value for name, value in an_event(EVENTS).items() if name != "time"}
    ingest_here(*map(orjson.dumps, [*made, timeless]))
    return made


def expected(events) -> dict[tuple[str, str], tuple[int, float]]:
    """The same figures, counted without Spark or SQL."""
    groups: dict[tuple[str, str], list[bool]] = {}
    for made in events:
        dead = made["type"] == "order.lost" or made["data"]["do"] == "business"
        groups.setdefault((made["time"][:10], made["type"]), []).append(dead)
    return {key: (len(dead), round(sum(dead) / len(dead), 9)) for key, dead in groups.items()}


def stored(rows) -> dict[tuple[str, str], tuple[int, float]]:
    return {
        (str(row["day"]), row["key"]["event_type"]): (
            row["figures"]["orders"],
            round(row["figures"]["dead_share"], 9),
        )
        for row in rows("SELECT * FROM report_rows WHERE report_id = 'orders'")
    }


def in_files(folder) -> dict[tuple[str, str], tuple[int, float]]:
    read = [
        row
        for file in folder.glob("month=*/*.parquet")
        for row in parquet.ParquetFile(file).read().to_pylist()
    ]
    return {
        (str(row["day"]), row["event_type"]): (row["orders"], round(row["dead_share"], 9)) for row in read
    }


def run(settings, **changed) -> int:
    return report(settings, **{"days": None, "names": None, "output": None, **changed})


def test_the_figures_are_those_of_an_independent_count(ingested, pipeline_settings, rows):
    assert run(pipeline_settings) == 0
    assert stored(rows) == expected(ingested)
    folder = pipeline_settings.data / "reports" / "orders"
    assert in_files(folder) == stored(rows)
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json",
        "month=2026-01",
        "month=2026-02",
    ]
    assert verify(str(folder)) == 0
    (declared,) = rows("SELECT * FROM reports WHERE name = 'orders'")
    assert (declared["title"], declared["keys"]) == ("Orders per day", ["event_type"])
    assert declared["metrics"] == [["orders", "count"], ["dead_share", "share"]]
    (_, last) = rows("SELECT * FROM pipeline_runs ORDER BY id")
    assert (last["kind"], last["status"]) == ("report", "completed")
    assert last["total"] == last["done"] == EVENTS + 1


def test_a_healed_event_counts_once(ingested, pipeline_settings, rows):
    bring_to("SUCCEEDED", DeadLetter.objects.filter(error_class="PlaneUnknown"))
    rows(
        "INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record) "
        "SELECT event_type, source, source_key, (payload->>'time')::timestamptz, '{}' "
        "FROM dlq_events WHERE status = 'SUCCEEDED'"
    )
    run(pipeline_settings)
    found = stored(rows)
    assert {key: count for key, (count, _) in found.items()} == {
        key: count for key, (count, _) in expected(ingested).items()
    }
    assert {share for (_, kind), (_, share) in found.items() if kind == "order.created"} == {0.0}


def test_one_day_replaces_that_day_only(ingested, pipeline_settings, rows):
    run(pipeline_settings)
    whole = stored(rows)
    rows("DELETE FROM dlq_events")
    run(pipeline_settings, days=[date(2026, 2, 1)])
    now = stored(rows)
    (*_, last) = rows("SELECT total, done FROM pipeline_runs ORDER BY id")
    assert last["total"] == last["done"] == rows(ONE_DAY)[0]["count"], "it read the events of that day alone"
    changed = {key for key in whole if now.get(key) != whole[key]}
    assert {day for day, _ in changed} == {"2026-02-01"}
    assert in_files(pipeline_settings.data / "reports" / "orders") == now


def test_a_report_that_cannot_be_written_leaves_the_old_one(ingested, pipeline_settings, rows, tmp_path):
    run(pipeline_settings)
    whole = stored(rows)
    rows("ALTER TABLE report_rows ADD CONSTRAINT refuse CHECK (day < '2026-02-02') NOT VALID")
    try:
        with pytest.raises(Exception, match="refuse"):
            run(pipeline_settings)
    finally:
        rows("ALTER TABLE report_rows DROP CONSTRAINT refuse")
    assert stored(rows) == whole
    assert in_files(pipeline_settings.data / "reports" / "orders") == whole
    (*_, last) = rows("SELECT status FROM pipeline_runs ORDER BY id")
    assert last["status"] == "failed"


def test_an_output_folder_that_cannot_be_written_is_a_sentence(ingested, pipeline_settings, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadRequest, match="cannot write"):
        run(pipeline_settings, output=str(tmp_path / "file"))


def test_no_events_make_an_empty_report(spark, pipeline_settings, rows):
    assert run(pipeline_settings) == 0
    assert rows("SELECT * FROM report_rows") == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "nothing",
            "report 'nothing' returned nothing: its function must return a Spark DataFrame with the columns"
            " day, n",
        ),
        ("raising", "report 'raising': its function raised ValueError: no rate for EUR"),
        ("failing", "report 'failing': a worker failed: KeyError: 'EUR'"),
    ],
)
def test_a_wrong_function_is_a_sentence_with_its_name(spark, pipeline_settings, rows, name, sentence):
    with pytest.raises(PipelineProblem) as raised:
        run(replace(pipeline_settings, reports="tests.pipeline.wrong_reports"), names=[name])
    [last] = rows("SELECT status, message FROM pipeline_runs")
    assert (str(raised.value), last["status"], last["message"]) == (sentence, "failed", sentence)


def test_what_comes_late_opens_its_day_and_that_alone(ingested, pipeline_settings, rows):
    run(pipeline_settings, open_days=True)
    assert stored(rows) == expected(ingested)
    run(pipeline_settings, open_days=True)
    (*_, last) = rows("SELECT total, message FROM pipeline_runs ORDER BY id")
    assert (last["total"], "orders: no day is open" in last["message"]) == (0, True)
    late = "INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)"
    rows(f"{late} VALUES ('order.created', 'shop', 'late', '2026-02-01T23:59:59Z', '{{}}')")
    run(pipeline_settings, open_days=True)
    (*_, last) = rows("SELECT done FROM pipeline_runs ORDER BY id")
    assert last["done"] == EVENTS // 3 + 1
    assert stored(rows)["2026-02-01", "order.created"][0] == EVENTS // 3 * 4 // 5 + 1
