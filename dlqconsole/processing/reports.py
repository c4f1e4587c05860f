"""How a user declares a daily report: a Spark function, and what its columns mean.

    @report("daily_orders", by=("country",), metrics={"orders": "count", "paid_share": "share"})
    def daily_orders(events):
        from pyspark.sql import functions as sql
        ...

Spark is imported inside the function, so that declaring a report costs no worker anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .errors import ReportSetupError
from .modules import belongs_to, import_named

# count: whole numbers that may be added up. sum: other amounts that may. mean and share may not;
# a share lies between 0 and 1 and is shown in per cent.
METRIC_KINDS = ("count", "sum", "mean", "share")

_declared: dict[tuple[str, str], "Report"] = {}


@dataclass(frozen=True, slots=True)
class Report:
    """A declared report: call `build(events)` for its rows."""

    name: str
    title: str
    by: tuple[str, ...]
    metrics: Mapping[str, str]
    function: Callable[[Any], Any]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the function must return: day, then `by`, then the metrics."""
        return ("day", *self.by, *self.metrics)

    def build(self, events: Any) -> Any:
        """Return the report's DataFrame, columns in order. Raises ReportSetupError for missing ones."""
        rows = self.function(events)
        missing = [name for name in self.columns if name not in rows.columns]
        if missing:
            raise ReportSetupError(f"report {self.name!r} returned no column {', '.join(missing)}")
        return rows.select(*self.columns)


def report[F: Callable[[Any], Any]](
    name: str, *, by: Sequence[str] = (), metrics: Mapping[str, str], title: str | None = None
) -> Callable[[F], F]:
    """Declare a daily report: one row per day and value of the `by` columns.

    The function takes a Spark DataFrame with one row per event, enriched or dead, and columns
    `event_type`, `source`, `source_key` (text), `occurred_at` (timestamp), `data` (JSON text of the
    event's data, or NULL), `record` (JSON text of the enriched record, or NULL), `error_class` and
    `status` (text, NULL for successes). It returns one with columns `day` (date), `by` and `metrics`.
    `metrics` maps each column to its kind: count, sum, mean or share (0 … 1).
    Raises ReportSetupError for a bad declaration.
    """
    if not name.isidentifier():
        raise ReportSetupError(f"a report's name must be letters, digits and underscores, not {name!r}")
    for column, kind in metrics.items():
        if kind not in METRIC_KINDS:
            raise ReportSetupError(f"report {name!r}: {column} is a {kind!r}, not {', '.join(METRIC_KINDS)}")
    if not metrics or len({"day", *by, *metrics}) != 1 + len(by) + len(metrics):
        raise ReportSetupError(f"report {name!r} needs metrics, and each column once")

    def declare(function: F) -> F:
        words = title or name.replace("_", " ").capitalize()
        _declared[function.__module__, name] = Report(name, words, tuple(by), dict(metrics), function)
        return function

    return declare


@lru_cache(maxsize=8)
def load_reports(modules: str) -> Mapping[str, Report]:
    """Import the modules named in DLQ_REPORTS (comma-separated); return their reports by name.

    Raises ReportSetupError: no such module, a failing import, two reports of one name.
    """
    names = [module.__name__ for module in import_named(modules, "DLQ_REPORTS", ReportSetupError)]
    found: dict[str, Report] = {}
    for (module, name), declared in _declared.items():
        if not belongs_to(module, names):
            continue
        if name in found:
            other = found[name].function.__module__
            raise ReportSetupError(f"report {name!r} is declared twice: in {other} and in {module}")
        found[name] = declared
    return found
