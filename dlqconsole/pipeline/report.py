"""Report: the user's Spark functions over all events, their rows to PostgreSQL and Parquet."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.reports import Report, load_reports

from .database import connect
from .errors import BadRequest
from .events_frame import Extent, Snapshot, events_frame, extents
from .jobs import StopSignal, run_job
from .report_files import write_files
from .report_rows import store_rows
from .runs import Run, recorded
from .session import spark_context
from .settings import Settings
from .sql import sql
from .terminal import Terminal


def report(
    settings: Settings, *, days: Sequence[date] | None, names: Sequence[str] | None, output: str | None
) -> int:
    """Compute the declared reports, for some days or for all. The exit status."""
    chosen = _chosen(settings, names)
    folder = Path(output) if output else settings.data / "reports"
    subject = ", ".join(map(str, days)) if days else "all days"
    terminal, stop = Terminal("report"), StopSignal()
    with stop.listening(), recorded(settings.database_url, "report", subject) as run:
        run.describe("starting Spark")
        with spark_context(settings, "report") as context, stop.listening():
            job = _Reports(context, settings, run, stop, terminal, several=len(chosen) > 1)
            with closing(job):
                lines = [job.compute(each, days, folder) for each in chosen.values()]
        run.finish("completed", "; ".join(lines))
    return 0


def _chosen(settings: Settings, names: Sequence[str] | None) -> Mapping[str, Report]:
    if not settings.reports:
        raise BadRequest("DLQ_REPORTS is not set: name the modules that declare your reports")
    try:
        declared = load_reports(settings.reports)
    except SetupError as error:
        raise BadRequest(str(error)) from error
    if not declared:
        raise BadRequest(f"the modules of DLQ_REPORTS declare no @report: {settings.reports}")
    for name in names or ():
        if name not in declared:
            raise BadRequest(f"there is no report {name!r}; there are: {', '.join(sorted(declared))}")
    return {name: declared[name] for name in names or declared}


class _Reports:
    """One snapshot of the events, and every report computed from it."""

    def __init__(
        self,
        context: Any,
        settings: Settings,
        run: Run,
        stop: StopSignal,
        terminal: Terminal,
        *,
        several: bool,
    ) -> None:
        from pyspark import StorageLevel
        from pyspark.sql import SparkSession

        self._context, self._run, self._stop, self._terminal = context, run, stop, terminal
        self._url = settings.database_url
        # stays open, in one transaction, as long as the workers read its snapshot
        self._snapshot = connect(self._url, f"report {run.id}", autocommit=False)
        self._snapshot.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        name = self._snapshot.execute(sql("report.snapshot")).fetchone()
        self._parts = extents(self._snapshot)
        snapshot = Snapshot(self._url, run.id, str(name and name[0]))
        frame = events_frame(SparkSession.builder.getOrCreate(), snapshot, self._parts)
        # read once, however many reports are computed from it
        self._events = frame.persist(StorageLevel.DISK_ONLY) if several else frame
        run.describe("reading the events", _rows(self._parts))

    def close(self) -> None:
        """Let the snapshot go."""
        self._snapshot.close()

    def compute(self, report: Report, days: Sequence[date] | None, folder: Path) -> str:
        """Compute and store one report; a line about it."""
        table = run_job(
            self._context, self._run, self._stop, self._terminal, lambda: self._rows(report, days)
        )
        rows = table.to_pylist()
        with connect(self._url, f"report {self._run.id}") as connection:
            store_rows(connection, report, rows, days)
        write_files(folder / report.name, table, days)
        covered = {row["day"] for row in rows}
        line = f"{report.name}: {_count(len(rows), 'row')} for {_count(len(covered), 'day')}"
        self._terminal.say(f"report: {line}, also in {folder / report.name}")
        return line

    def _rows(self, report: Report, days: Sequence[date] | None) -> Any:
        frame = report.build(self._events)
        frame = frame.withColumn("day", frame["day"].cast("date"))
        if days:
            frame = frame.where(frame["day"].isin(list(days)))
        table = frame.orderBy("day", *report.by).toArrow()
        # Not asked of Spark: it would ask each event, and work out the day of each once more.
        return table.filter(table["day"].is_valid())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _rows(parts: Sequence[Extent]) -> int:
    return sum(part.rows for part in parts)
