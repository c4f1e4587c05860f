"""The reports that a user's modules declare: Spark functions over the events of some days, or of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.running.jobs import StopSignal, run_job
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.running.terminal import STARTING_SPARK, Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.processing.errors import ReportSetupError
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.reports import DailyReport

from .days import ReportPlan, Span, spans_of, strays
from .events_frame import Snapshot, events_frame, extents
from .snapshot import SnapshotTransaction
from .storing import Store


@dataclass(frozen=True, slots=True)
class PlannedReport:
    """A declared report, and what is computed of it."""

    report: DailyReport
    plan: ReportPlan

    @property
    def days_are_known(self) -> bool:
        """Tell whether only the events of its days need be read."""
        return bool(self.report.day_of) and self.plan.days is not None


@dataclass(frozen=True, slots=True)
class Driver:
    """The watchers of a Spark job."""

    settings: Settings
    run: Run
    stop: StopSignal
    terminal: Terminal


def compute(
    driver: Driver, requests: Sequence[PlannedReport], moment: SnapshotTransaction, store: Store
) -> list[str]:
    """Compute and store these reports, all from one moment; return a line about each."""
    driver.run.describe(STARTING_SPARK)
    with spark_context(driver.settings, "report", driver.stop.check) as context:
        events = _Events(driver, requests, moment)
        return [_compute(driver, context, events, one, store) for one in requests]


def _compute(driver: Driver, context: Any, events: "_Events", one: PlannedReport, store: Store) -> str:
    table = _table(driver, context, events, one)
    rows = table.to_pylist()
    return store.replace(one.report, one.plan, rows, table) + _stray_words(one.report, rows, events.spans)


def _table(driver: Driver, context: Any, events: "_Events", one: PlannedReport) -> Any:
    """Raises PipelineProblem, which names the report: one run computes several."""
    try:
        return run_job(context, driver.run, driver.stop, driver.terminal, lambda: events.table(one))
    except PipelineProblem as problem:
        if type(problem) is not PipelineProblem:
            raise
        raise PipelineProblem(f"report {one.report.name!r}: {problem}") from problem


class _Events:
    """One snapshot of the events, and every report computed from it."""

    def __init__(
        self, driver: Driver, requests: Sequence[PlannedReport], moment: SnapshotTransaction
    ) -> None:
        from pyspark import StorageLevel
        from pyspark.sql import SparkSession

        self.spans = _spans(requests)
        parts = extents(moment.connection, self.spans)
        driver.run.describe(stored("reading the events"), sum(part.rows for part in parts))
        snapshot = Snapshot(driver.settings.database_url, driver.run.id, moment.export())
        frame = events_frame(SparkSession.builder.getOrCreate(), snapshot, parts)
        # read once, however many reports are computed from it
        self._frame = frame.persist(StorageLevel.DISK_ONLY) if len(requests) > 1 else frame

    def table(self, one: PlannedReport) -> Any:
        """A report's rows as an Arrow table."""
        events = self._frame.where("occurred_at IS NOT NULL") if one.report.day_of else self._frame
        rows = _build(one.report, events)
        rows = rows.withColumn("day", rows["day"].cast("date"))
        if one.plan.days is not None and not one.days_are_known:
            rows = rows.where(rows["day"].isin(list(one.plan.days)))
        table = rows.orderBy("day", *one.report.by).toArrow()
        # Not asked of Spark: it would ask each event, and work out the day of each once more.
        return table.filter(table["day"].is_valid())


def _build(report: DailyReport, events: Any) -> Any:
    """Call the report's function. An error in it is not Spark's failure, and is said with its name."""
    try:
        return report.build(events)
    except ReportSetupError as error:
        raise BadRequest(str(error)) from error
    except Exception as error:
        line = (str(error).strip().splitlines() or ["nothing said"])[0]
        raise PipelineProblem(f"its function raised {type(error).__name__}: {line}") from error


def _spans(requests: Sequence[PlannedReport]) -> list[Span] | None:
    """Return what must be read; None for everything, as soon as one report cannot say what it needs."""
    if not all(one.days_are_known for one in requests):
        return None
    return spans_of((one.report, day) for one in requests for day in one.plan.days or ())


def _stray_words(report: DailyReport, rows: Sequence[Mapping[str, Any]], spans: list[Span] | None) -> str:
    """Warn of events that count on a day far from when they occurred: that day would miss them."""
    if spans is None:
        return ""
    days = strays(report, (row["day"] for row in rows), spans)
    if not days:
        return ""
    names = ", ".join(map(str, days[:3])) + (" …" if len(days) > 3 else "")
    return (
        f"; events of these days count on {names}, which is further off than the margin of {report.margin}:"
        " declare a wider one, or compute with --all"
    )
