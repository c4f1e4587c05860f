"""What the demo's load has left in the database: what passes and what fails, the groups, the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import psycopg

from examples.flights.source import rows as source_rows

# what comes in one by one while the demo runs is not of the load
LOADED = "source IS DISTINCT FROM 'flights-live'"

# what became of each event: the error's class, or "enriched", by its type and id
type Outcomes = dict[tuple[str, str], str]
type Table = dict[tuple[str, str], int]
type Sums = dict[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True)
class Loaded:
    """Read once; ``groups``: how many dead letters stand in each, largest first, by error class."""

    outcomes: Outcomes
    groups: dict[str, list[int]]
    report: Sums

    @classmethod
    def read(cls, database_url: str) -> Loaded:
        with psycopg.connect(database_url) as session:
            return cls(_outcomes(session), _groups(session), _report(session))

    @property
    def table(self) -> Table:
        """How many events of each type ended how."""
        return Counter((event_type, outcome) for (event_type, _), outcome in self.outcomes.items())


def independent_sums() -> Sums:
    """Flights and cancellations per day and airline, counted from the source's own rows."""
    flights: Counter[tuple[str, str]] = Counter()
    cancelled: Counter[tuple[str, str]] = Counter()
    for row in source_rows("flights"):
        key = (f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}", row["carrier"])
        flights[key] += 1
        cancelled[key] += row["dep_time"] in ("", "NA")
    return {key: (count, cancelled[key]) for key, count in flights.items()}


def _outcomes(session: psycopg.Connection) -> Outcomes:
    found = session.execute(
        f"SELECT event_type, source_key, 'enriched' FROM enriched_events WHERE {LOADED}"
        f" UNION ALL SELECT event_type, source_key, error_class FROM dlq_events WHERE {LOADED}"
    ).fetchall()
    outcomes = {(event_type, identity): outcome for event_type, identity, outcome in found}
    assert len(outcomes) == len(found), "an event ended twice"
    return outcomes


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
