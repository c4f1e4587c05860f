"""The declaration of a daily report: a Spark function, and the meaning of its columns.

    @report(
        "daily_orders", by=("country",), metrics={"orders": "count", "paid_share": "share"},
        day_of="occurred_at", timezone="Europe/Berlin",
    )
    def daily_orders(events):
        from pyspark.sql import functions as sql
        ...

Spark is imported inside the function, so that declaring a report costs no worker anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from dlqconsole.configuration.time_of_day import zones

from .errors import ReportSetupError
from .modules import belongs_to, import_named

# count: whole numbers that may be added up. sum: other amounts that may. The others may not. A share lies
# between 0 and 1 and is shown in per cent; a duration is a mean or percentile of seconds.
METRIC_KINDS = ("count", "sum", "mean", "share", "median", "p90", "p95", "p99", "duration")

# the one that needs no function: dlqconsole.pipeline makes it in SQL
FAILURES = "failures"

OCCURRED = "occurred_at"
# more than the clocks of any two places on earth differ
SAFE_MARGIN = timedelta(days=1)

_declarations: dict[tuple[str, str], "DailyReport"] = {}


@dataclass(frozen=True, slots=True)
class DailyReport:
    """A declared report: call `build(events)` for its rows.

    `day_of`: empty where nothing is said of how its day follows from an event; then all events are read for
    any day.
    """

    name: str
    title: str
    by: tuple[str, ...]
    metrics: Mapping[str, str]
    function: Callable[[Any], Any]
    day_of: str = ""
    timezone: str = "UTC"
    margin: timedelta = SAFE_MARGIN

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the function must return: day, then `by`, then the metrics."""
        return ("day", *self.by, *self.metrics)

    def build(self, events: Any) -> Any:
        """Return the report's DataFrame, columns in order. Raises ReportSetupError where it has not all."""
        rows = self.function(events)
        if not hasattr(rows, "columns") or not hasattr(rows, "select"):
            result = "nothing" if rows is None else f"a {type(rows).__name__}"
            raise ReportSetupError(
                f"report {self.name!r} returned {result}: its function must return a Spark DataFrame with the"
                f" columns {', '.join(self.columns)}"
            )
        missing = [name for name in self.columns if name not in rows.columns]
        if missing:
            raise ReportSetupError(f"report {self.name!r} returned no column {', '.join(missing)}")
        return rows.select(*self.columns)


def report[F: Callable[[Any], Any]](
    name: str,
    *,
    by: Sequence[str] = (),
    metrics: Mapping[str, str],
    title: str | None = None,
    day_of: str | None = None,
    timezone: str = "UTC",
    margin: timedelta = SAFE_MARGIN,
) -> Callable[[F], F]:
    """Declare a daily report: one row per day and value of the `by` columns.

    The function takes a Spark DataFrame with one row per event, enriched or dead, and columns
    `event_type`, `source`, `source_key` (text), `occurred_at` (timestamp), `data` (JSON text of the
    event's data, or NULL), `record` (JSON text of the enriched record, or NULL), `error_class` and
    `status` (text, NULL for successes). It returns one with columns `day` (date), `by` and `metrics`.
    `metrics` maps each column to its kind: count, sum, mean, share (0 … 1), median, p90, p95, p99, or
    duration (seconds).

    `day_of="occurred_at"` says: the day of an event is the day of `occurred_at` in `timezone`, or of a moment
    at most `margin` (a day, unless you say less) before or after it. Then only the events of the days that
    are asked for are read, and what comes late opens its day again. An event without a time is of no day, and
    such a report is not given it. Without `day_of` all events are read, whichever day is asked for.

    Raises ReportSetupError for a bad declaration.
    """
    _check_name(name)
    for column, kind in metrics.items():
        if kind not in METRIC_KINDS:
            raise ReportSetupError(f"report {name!r}: {column} is a {kind!r}, not {', '.join(METRIC_KINDS)}")
    if not metrics or len({"day", *by, *metrics}) != 1 + len(by) + len(metrics):
        raise ReportSetupError(f"report {name!r} needs metrics, and each column once")
    _check_days(name, day_of, timezone, margin)

    def declare(function: F) -> F:
        words = title or name.replace("_", " ").capitalize()
        _declarations[function.__module__, name] = DailyReport(
            name, words, tuple(by), dict(metrics), function, day_of or "", timezone, margin
        )
        return function

    return declare


def _check_name(name: str) -> None:
    if not name.isidentifier():
        raise ReportSetupError(f"a report's name must be letters, digits and underscores, not {name!r}")
    if name == FAILURES:
        raise ReportSetupError(f"the report {name!r} is built in: choose another name")


def _check_days(name: str, day_of: str | None, timezone: str, margin: timedelta) -> None:
    if day_of not in (None, OCCURRED):
        raise ReportSetupError(f"report {name!r}: day_of is {OCCURRED!r} or left out, not {day_of!r}")
    if timezone not in zones():
        raise ReportSetupError(f"report {name!r}: there is no timezone {timezone!r}")
    if not timedelta() <= margin <= timedelta(days=31):
        raise ReportSetupError(f"report {name!r}: a margin is 0 to 31 days, not {margin}")


@lru_cache(maxsize=8)
def load_reports(modules: str) -> Mapping[str, DailyReport]:
    """Import the modules named in DLQ_REPORTS (comma-separated); return their reports by name.

    Raises ReportSetupError: no such module, a failing import, two reports of one name.
    """
    names = [module.__name__ for module in import_named(modules, "DLQ_REPORTS", ReportSetupError)]
    reports: dict[str, DailyReport] = {}
    for (module, name), declaration in _declarations.items():
        if not belongs_to(module, names):
            continue
        if name in reports:
            other = reports[name].function.__module__
            raise ReportSetupError(f"report {name!r} is declared twice: in {other} and in {module}")
        reports[name] = declaration
    return reports
