"""What the demo's load has left in the database: what passes and what fails, the groups, the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import psycopg

from examples.flights.source import rows as source_rows

# what comes in one by one while the demo runs is not of the load
LOADED = "source IS DISTINCT FROM 'flights-live'"

type Table = dict[tuple[str, str], int]
type Sums = dict[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True)
class Loaded:
    """Read once; ``groups``: how many dead letters stand in each, largest first, by error class."""

    table: Table
    groups: dict[str, list[int]]
    report: Sums

    @classmethod
    def read(cls, database_url: str) -> Loaded:
        with psycopg.connect(database_url) as session:
            return cls(_table(session), _groups(session), _report(session))


def independent_sums() -> Sums:
    """Flights and cancellations per day and airline, counted from the source's own rows."""
    flights: Counter[tuple[str, str]] = Counter()
    cancelled: Counter[tuple[str, str]] = Counter()
    for row in source_rows("flights"):
        key = (f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}", row["carrier"])
        flights[key] += 1
        cancelled[key] += row["dep_time"] in ("", "NA")
    return {key: (count, cancelled[key]) for key, count in flights.items()}


def _table(session: psycopg.Connection) -> Table:
    found = session.execute(
        f"SELECT event_type, 'enriched', count(*) FROM enriched_events WHERE {LOADED} GROUP BY 1"
        f" UNION ALL SELECT event_type, error_class, count(*) FROM dlq_events WHERE {LOADED} GROUP BY 1, 2"
    )
    return {(event_type, outcome): number for event_type, outcome, number in found}


def _groups(session: psycopg.Connection) -> dict[str, list[int]]:
    sizes: dict[str, list[int]] = {}
    for error_class, number in session.execute(
        f"SELECT error_class, count(*) AS n FROM dlq_events WHERE {LOADED}"
        " GROUP BY error_class, group_id ORDER BY n DESC"
    ):
        sizes.setdefault(error_class, []).append(number)
    return sizes


def _report(session: psycopg.Connection) -> Sums:
    return {
        (str(day), key["carrier"]): (figures["flights"], figures["cancelled"])
        for day, key, figures in session.execute(
            "SELECT day, key, figures FROM report_rows WHERE report_id = 'daily_flights'"
        )
    }
