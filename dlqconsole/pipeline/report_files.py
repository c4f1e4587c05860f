"""A report's rows as Parquet, a folder a month. A reader sees the old report or the new, never half."""

import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from .errors import BadRequest

FILE = "rows.parquet"


def write_files(folder: Path, table: Any, days: Sequence[date] | None) -> None:
    """Replace these days of the report in `folder`, or all of it when `days` is None."""
    fresh, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    try:
        _recover(folder, old)
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        whole = table if days is None else _with_other_days(folder, table, days)
        _write_months(fresh, whole)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise BadRequest(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _recover(folder: Path, old: Path) -> None:
    """A report that was stopped between its two renames."""
    if old.exists() and not folder.exists():
        old.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _with_other_days(folder: Path, table: Any, days: Sequence[date]) -> Any:
    """The table, and from the files that are there the days that it does not replace."""
    import pyarrow
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet

    kept = [table]
    for file in sorted(folder.glob(f"month=*/{FILE}")):
        before = parquet.read_table(file, partitioning=None)
        if before.schema.names != table.schema.names:
            continue  # the report has other columns now: its earlier days must be computed again
        replaced = compute.is_in(before["day"], pyarrow.array(days, pyarrow.date32()))
        kept.append(before.filter(compute.invert(replaced)).cast(table.schema))
    return pyarrow.concat_tables(kept)


def _write_months(folder: Path, table: Any) -> None:
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet

    months = compute.strftime(table["day"], format="%Y-%m")
    for month in sorted(set(months.to_pylist())):
        rows = table.filter(compute.equal(months, month)).sort_by([("day", "ascending")])
        (folder / f"month={month}").mkdir()
        parquet.write_table(rows, folder / f"month={month}" / FILE)
