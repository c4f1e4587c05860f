"""A year of real flights: the exact table of what passes and what fails, and why."""

import os
import subprocess
import sys
from collections import Counter

import pytest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark, pytest.mark.slow]

TABLE = {
    ("aircraft.registered", "enriched"): 3_252,
    ("aircraft.registered", "SchemaViolation"): 70,
    ("weather.observed", "enriched"): 23_383,
    ("weather.observed", "SchemaViolation"): 2_732,
    ("flight.departed", "enriched"): 272_528,
    ("flight.departed", "FlightCancelled"): 8_255,
    ("flight.departed", "PlaneUnknown"): 48_550,
    ("flight.departed", "AirportUnknown"): 6_166,
    ("flight.departed", "WeatherMissing"): 1_277,
}


@pytest.fixture
def flights(tmp_path):
    folder = tmp_path / "flights"
    environment = {**os.environ, "FLIGHTS_DATA_DIR": str(folder)}
    subprocess.run([sys.executable, "-m", "examples.flights", "prepare"], env=environment, check=True)
    return folder


def test_the_whole_year(command, rows, flights, tmp_path):
    demo = {
        "FLIGHTS_DATA_DIR": str(flights),
        "DLQ_HANDLERS": "examples.flights.handlers",
        "DLQ_REPORTS": "examples.flights.reports",
    }
    process = command("ingest", "--once", "--source", flights / "events", **demo)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert "366,213 of 366,213 events (100 %), 299,163 enriched, 67,050 dead letters" in out
    assert table(rows) == TABLE
    assert groups(rows) == {
        "PlaneUnknown": [48_550],
        "FlightCancelled": [8_255],
        "AirportUnknown": [6_166],
        "SchemaViolation": [2_727, 70, 4, 1],
        "WeatherMissing": [1_277],
    }

    process = command("report", "--all", **demo)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert report_sums(rows) == independent_sums()


def table(rows) -> dict[tuple[str, str], int]:
    found = rows(
        "SELECT event_type, 'enriched' AS outcome, count(*) AS n FROM enriched_events GROUP BY 1 "
        "UNION ALL SELECT event_type, error_class, count(*) FROM dlq_events GROUP BY 1, 2"
    )
    return {(row["event_type"], row["outcome"]): row["n"] for row in found}


def groups(rows) -> dict[str, list[int]]:
    """How many dead letters stand in each failure group, largest first, by error class."""
    found = rows(
        "SELECT error_class, count(*) AS n FROM dlq_events GROUP BY error_class, group_id ORDER BY n DESC"
    )
    sizes: dict[str, list[int]] = {}
    for row in found:
        sizes.setdefault(row["error_class"], []).append(row["n"])
    return sizes


def report_sums(rows) -> dict[tuple[str, str], tuple[int, int]]:
    found = rows("SELECT day, key, figures FROM report_rows WHERE report_id = 'daily_flights'")
    return {
        (str(row["day"]), row["key"]["carrier"]): (row["figures"]["flights"], row["figures"]["cancelled"])
        for row in found
    }


def independent_sums() -> dict[tuple[str, str], tuple[int, int]]:
    """Flights and cancellations per day and airline, counted from the source's own rows."""
    from examples.flights.source import rows as source_rows

    flights, cancelled = Counter(), Counter()
    for row in source_rows("flights"):
        key = (f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}", row["carrier"])
        flights[key] += 1
        cancelled[key] += row["dep_time"] in ("", "NA")
    return {key: (count, cancelled[key]) for key, count in flights.items()}
