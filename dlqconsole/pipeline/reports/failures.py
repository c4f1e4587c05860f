"""The failure report: what failed on each day, why, how it ended.

Plain SQL, a day at a time: it needs no Spark.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import psycopg
from psycopg.rows import dict_row

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.reports import FAILURES, DailyReport

from .days import span_of


def _no_function(_events: Any) -> Any:
    raise PipelineProblem("the failure report is made in SQL")


# A day is that of `created_at`, in UTC: when the event became a dead letter, as the console's list counts it.
REPORT = DailyReport(
    name=FAILURES,
    title="Failures per day",
    by=("event_type", "reason", "category", "group", "queue"),
    metrics={
        "failures": "count",
        "share_of_failures": "share",
        "share_of_events": "share",
        "healed": "count",
        "discarded": "count",
        "still_open": "count",
        "median_time_to_recover": "duration",
        "p90_time_to_recover": "duration",
        "healed_by_schedule": "count",
        "healed_by_retry": "count",
        "healed_by_revive": "count",
        "healed_by_replay": "count",
        "healed_otherwise": "count",
        "healed_after_edit": "count",
    },
    function=_no_function,
    day_of="created_at",
    margin=timedelta(),
)


def rows_of(connection: psycopg.Connection, days: Sequence[date]) -> Iterator[list[dict[str, Any]]]:
    """A day's rows after the other, in the snapshot of this connection."""
    with connection.cursor(row_factory=dict_row) as cursor:
        for day in days:
            span = span_of(REPORT, day)
            cursor.execute(sql("failures.of_span"), {"since": span.since, "until": span.until})
            yield [{"day": day, **row} for row in cursor.fetchall()]


def as_table(rows: Sequence[dict[str, Any]]) -> Any:
    """The rows for Parquet, with the same columns also where there is no row."""
    import pyarrow

    types = {"count": pyarrow.int64(), "share": pyarrow.float64(), "duration": pyarrow.float64()}
    fields = [("day", pyarrow.date32()), *((name, pyarrow.string()) for name in REPORT.by)]
    fields += [(name, types[kind]) for name, kind in REPORT.metrics.items()]
    return pyarrow.Table.from_pylist(list(rows), schema=pyarrow.schema(fields))
