"""Report: the failure report, and the user's Spark functions; their rows to PostgreSQL and Parquet."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import record_run
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.reports import FAILURES, DailyReport, load_reports

from . import declared, failures
from .days import ReportPlan, ReportRequest, announce, plan
from .declared import Driver, PlannedReport
from .snapshot import SnapshotTransaction
from .storing import Store


def report(
    settings: Settings,
    *,
    days: Sequence[date] | None,
    names: Sequence[str] | None,
    output: str | None,
    open_days: bool = False,
) -> int:
    """Compute reports, for some days, for those that are open and over, or for all. The exit status."""
    reports = _select(settings, names)
    request = ReportRequest(tuple(days or ()), open_days)
    folder = Path(output) if output else settings.data / "reports"
    stop, terminal = StopSignal(), Terminal("report")
    with stop.listening(), record_run(settings, "report", request.words()) as run:
        with connect(settings.database_url, f"report {run.id}") as connection:
            announce(connection, reports.values())
        with SnapshotTransaction(settings.database_url, run.id) as moment:
            lines = _compute(Driver(settings, run, stop, terminal), reports, request, moment, folder)
        run.finish("completed", "; ".join(lines))
    return 0


def _select(settings: Settings, names: Sequence[str] | None) -> Mapping[str, DailyReport]:
    """The reports of these names, or all: the one that is built in comes first."""
    there_are = {FAILURES: failures.REPORT}
    if settings.reports and set(names or [""]) != {FAILURES}:
        there_are |= _load_declared(settings.reports)
    for name in names or ():
        if name not in there_are:
            hint = "" if settings.reports else " (DLQ_REPORTS names no module that declares yours)"
            raise BadRequest(f"there is no report {name!r}; there are: {', '.join(sorted(there_are))}{hint}")
    return {name: there_are[name] for name in there_are if not names or name in names}


def _load_declared(modules: str) -> Mapping[str, DailyReport]:
    try:
        reports = load_reports(modules)
    except SetupError as error:
        raise BadRequest(str(error)) from error
    if not reports:
        raise BadRequest(f"the modules of DLQ_REPORTS declare no @report: {modules}")
    return reports


def _compute(
    driver: Driver,
    reports: Mapping[str, DailyReport],
    request: ReportRequest,
    moment: SnapshotTransaction,
    folder: Path,
) -> list[str]:
    store = Store(driver.settings.database_url, folder, moment.origin)
    lines, waiting = [], []
    for report in reports.values():
        todo = plan(moment.connection, report, request)
        if todo.is_idle:
            lines.append(_say(driver, store.pass_over(report, todo)))
        elif report is failures.REPORT:
            lines.append(_say(driver, _failures(driver, todo, moment, store)))
        else:
            waiting.append(PlannedReport(report, todo))
    if waiting:
        lines += [_say(driver, line) for line in declared.compute(driver, waiting, moment, store)]
    return lines


def _say(driver: Driver, line: str) -> str:
    driver.terminal.say(f"report: {line}")
    return line


def _failures(driver: Driver, todo: ReportPlan, moment: SnapshotTransaction, store: Store) -> str:
    days = todo.days if todo.days is not None else tuple(sorted(set(todo.marks) - set(todo.kept_days)))
    driver.run.describe(stored("counting failures"))
    rows: list[dict[str, Any]] = []
    for of_day in failures.rows_of(moment.connection, days):
        driver.stop.check()
        driver.run.beat()
        rows += of_day
    return store.replace(failures.REPORT, todo, rows, _table(driver, rows))


def _table(driver: Driver, rows: list[dict[str, Any]]) -> Any:
    """The rows for the files; None where this machine cannot write Parquet."""
    try:
        return failures.as_table(rows)
    except ImportError:
        driver.terminal.say("report: no Parquet is written: pip install 'dlqconsole[archive]'")
        return None
