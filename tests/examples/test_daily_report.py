"""The daily report of flights, computed by Spark from a handful of events."""

import json
from datetime import UTC, date, datetime

import pytest

from dlqconsole.processing import load_reports

COLUMNS = (
    "event_type string, source string, source_key string, occurred_at timestamp,"
    " data string, record string, error_class string, status string"
)


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    shared = SparkSession.getActiveSession()  # another test's session is not ours to stop
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    yield session
    if shared is None:
        session.stop()


def event(error=None, source="flights", kind="flight.departed", only_record=False, **fields):
    data = {"year": 2013, "month": 1, "day": 2, "carrier": "UA", "dep_time": 517, **fields}
    text = json.dumps(data)
    occurred = datetime(2013, 1, 3, 6, tzinfo=UTC)
    where = (None, text) if only_record else (text, None if error else text)
    return (kind, source, "key", occurred, *where, error, error and "PENDING")


@pytest.mark.spark
def test_the_report_counts_punctuality_as_the_dot_does(spark):
    events = [
        event(dep_delay=0, arr_delay=14),
        event(dep_delay=4, arr_delay=15, only_record=True),
        event(dep_delay=8),  # diverted: it left and never arrived
        event("PlaneUnknown", dep_delay=-4, arr_delay=-11),
        event("FlightCancelled", dep_time=None),
        event(carrier="DL", day=3, dep_delay=1, arr_delay=1),
        event("SchemaViolation", carrier="B6", month=13),
        event(source="flights-live", dep_delay=0, arr_delay=0),
        event(source="weather", kind="weather.observed"),
    ]
    report = load_reports("examples.flights.reports")["daily_flights"]
    rows = report.build(spark.createDataFrame(events, COLUMNS)).collect()
    assert report.columns == tuple(rows[0].asDict())
    rounded = {tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row) for row in rows}
    assert rounded == {
        (date(2013, 1, 2), "UA", 5, 1, 0.5, 2.0, 6.8, 6.0, 14.8, 2),
        (date(2013, 1, 3), "DL", 1, 0, 1.0, 1.0, 1.0, 1.0, 1.0, 0),
        (date(2013, 1, 3), "B6", 1, 0, 0.0, None, None, None, None, 1),
    }
