"""What the demo's load has left in the database: what passes and what fails, the groups, the report."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

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
