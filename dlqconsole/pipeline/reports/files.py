"""A report's rows as Parquet, a folder a month, and a manifest beside them.

A version of a report is a folder that nobody changes once it is shown: `<name>` is a link that is turned to
the new one in one step. A reader sees the old report or the new, whole, and the version before stays for who
is reading it.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.reports import DailyReport

from . import manifest
from .days import ReportPlan
from .manifest import ReportOrigin

FILE = "rows.parquet"


class Files:
    """The next version of a report's files. Who makes one has locked the report: two follow one another."""

    def __init__(self, folder: Path, report: DailyReport, plan: ReportPlan, origin: ReportOrigin) -> None:
        self._link = folder / report.name
        self._report, self._plan, self._origin = report, plan, origin
        self._fresh = folder / f".{report.name}.{origin.run_id}"
        self._entries: dict[str, dict[str, Any]] = {}

    def replace(self, table: Any) -> None:
        """Show the days of this table, beside the other days of what was shown. Raises BadRequest."""
        self._write(table)
        self._publish()

    def _write(self, table: Any) -> None:
        try:
            _refuse_folder(self._link)
            shutil.rmtree(self._fresh, ignore_errors=True)
            self._fresh.mkdir(parents=True)
            self._entries = _read_entries(self._link)
            files = [file for month in self._months(table) if (file := self._month(month, table))]
            content = manifest.content(self._report, self._plan, self._origin, files, table.schema)
            manifest.write(self._fresh, content)
            _settle(self._fresh)
        except OSError as error:
            raise _cannot(self._link, error) from error

    def _publish(self) -> None:
        """Show it, and clear away all but the version before."""
        before = Path(os.readlink(self._link)).name if self._link.is_symlink() else ""
        new_link = self._fresh.with_name(f"{self._fresh.name}.link")
        try:
            new_link.unlink(missing_ok=True)
            new_link.symlink_to(self._fresh.name, target_is_directory=True)
            new_link.replace(self._link)
            _sync(self._link.parent)
        except OSError as error:
            raise _cannot(self._link, error) from error
        for version in self._link.parent.glob(f".{self._report.name}.*"):
            if version.name not in (self._fresh.name, before):
                shutil.rmtree(version, ignore_errors=True)

    def _months(self, table: Any) -> list[str]:
        """The months of the new rows and of the shown ones."""
        fresh = {f"{day:%Y-%m}" for day in table["day"].to_pylist()}
        return sorted(fresh | {file.parent.name.removeprefix("month=") for file in self._shown_files()})

    def _shown_files(self) -> Iterator[Path]:
        return self._link.glob(f"month=*/{FILE}")

    def _month(self, month: str, table: Any) -> dict[str, Any] | None:
        """One month's file; None where nothing is left of it. What is not concerned is not read at all."""
        path = f"month={month}/{FILE}"
        (self._fresh / path).parent.mkdir()
        old = self._link / path
        if not self._concerns(month) and old.exists() and _has(old, table.schema):
            _same(old, self._fresh / path)
            if path in self._entries:
                return self._entries[path]
        elif not self._write_month(month, old, self._fresh / path, table):
            (self._fresh / path).parent.rmdir()
            return None
        return _entry_of(self._fresh, path)

    def _concerns(self, month: str) -> bool:
        return self._plan.days is None or any(f"{day:%Y-%m}" == month for day in self._plan.days)

    def _write_month(self, month: str, old: Path, new: Path, table: Any) -> int:
        import pyarrow
        import pyarrow.compute as compute
        import pyarrow.parquet as parquet

        of_month = compute.equal(compute.strftime(table["day"], format="%Y-%m"), month)
        parts = [_only(table.filter(of_month), self._plan.replaces)]
        if old.exists() and _has(old, table.schema):
            parts.append(_only(_read(old), lambda day: not self._plan.replaces(day)).cast(table.schema))
        rows = pyarrow.concat_tables(parts).sort_by([("day", "ascending")])
        if rows.num_rows:
            parquet.write_table(rows, new)
        return int(rows.num_rows)


def _read_entries(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the entries of the manifest that is shown, by file."""
    try:
        return {file["path"]: file for file in manifest.read(folder)["files"]}
    except BadRequest:
        return {}


def _refuse_folder(link: Path) -> None:
    if link.exists() and not link.is_symlink():
        raise BadRequest(f"{link} is no report of ours: it is kept; name another --output, or move it away")


def _only(table: Any, is_of: Any) -> Any:
    """The rows of these days."""
    import pyarrow

    days: dict[date, bool] = {day: is_of(day) for day in set(table["day"].to_pylist())}
    return table.filter(pyarrow.array([days[day] for day in table["day"].to_pylist()], pyarrow.bool_()))


def _read(file: Path) -> Any:
    import pyarrow.parquet as parquet

    return parquet.read_table(file, partitioning=None)


def _has(file: Path, schema: Any) -> bool:
    """Tell whether a file has these columns: a report with other ones must compute its earlier days again."""
    import pyarrow.parquet as parquet

    return bool(parquet.read_schema(file).names == schema.names)


def _same(old: Path, new: Path) -> None:
    """The same bytes, without copying them where the file system can."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def _entry_of(folder: Path, path: str) -> dict[str, Any]:
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet

    file = folder / path
    days = compute.min_max(parquet.read_table(file, columns=["day"], partitioning=None)["day"]).as_py()
    return {
        "path": path,
        "rows": parquet.read_metadata(file).num_rows,
        "bytes": file.stat().st_size,
        "sha256": manifest.checksum(file),
        "first_day": str(days["min"]),
        "last_day": str(days["max"]),
    }


def _settle(folder: Path) -> None:
    """Put it on the disk before anybody is led to it: a power cut shows the old version or the new one."""
    for file in folder.rglob("*"):
        _sync(file)
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot(folder: Path, error: OSError) -> BadRequest:
    return BadRequest(f"cannot write {error.filename or folder}: {error.strerror}")
