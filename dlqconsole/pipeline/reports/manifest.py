"""The manifest beside a report's files: their content, their moment, and their checksums."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeGuard

import orjson

from dlqconsole import __version__
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.processing.reports import DailyReport
from dlqconsole.processing.texts import printable

from .days import ReportPlan

NAME = "manifest.json"
VERSION = 1
_OF_A_FILE = {"path": str, "rows": int, "bytes": int, "sha256": str}


@dataclass(frozen=True, slots=True)
class ReportOrigin:
    """The moment and the run that a report was computed from.

    `produced_at`: by the database's clock; `snapshot`: as PostgreSQL says it, `xmin:xmax:…`.
    """

    produced_at: datetime
    snapshot: str
    run_id: int


def content(
    report: DailyReport, plan: ReportPlan, origin: ReportOrigin, files: list[dict[str, Any]], schema: Any
) -> dict[str, Any]:
    """Return the manifest of these files."""
    return {
        "manifest": VERSION,
        "report": report.name,
        "title": report.title,
        "keys": list(report.by),
        "metrics": dict(report.metrics),
        "produced_at": origin.produced_at.isoformat(),
        "produced_by": f"dlqconsole {__version__}",
        "run": origin.run_id,
        "snapshot": origin.snapshot,
        "horizon": origin.snapshot.partition(":")[0],
        "filter": {
            "days": "all" if plan.days is None else [str(day) for day in plan.days],
            "kept": [str(day) for day in plan.kept_days],
            "day_of": report.day_of or None,
            "timezone": report.timezone,
            "margin_seconds": int(report.margin.total_seconds()),
        },
        "rows": sum(file["rows"] for file in files),
        "schema": [{"name": field.name, "type": str(field.type)} for field in schema],
        "files": files,
    }


def write(folder: Path, document: dict[str, Any]) -> None:
    """Write a manifest into a folder that nobody is shown yet."""
    (folder / NAME).write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")


def read(folder: Path) -> dict[str, Any]:
    """The manifest of a folder. Raises BadRequest with a sentence."""
    try:
        document = orjson.loads((folder / NAME).read_bytes())
    except OSError as error:
        raise BadRequest(f"cannot read {folder / NAME}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"{folder / NAME} is no JSON: {error}") from error
    if not _is_ours(document):
        raise BadRequest(f"{folder / NAME} is no manifest of version {VERSION}")
    return document


def _is_ours(whole: Any) -> TypeGuard[dict[str, Any]]:
    if not isinstance(whole, dict) or whole.get("manifest") != VERSION:
        return False
    rows, files = whole.get("rows"), whole.get("files")
    return isinstance(rows, int) and isinstance(files, list) and all(map(_is_entry, files))


def _is_entry(file: Any) -> bool:
    return isinstance(file, dict) and all(
        isinstance(file.get(name), kind) for name, kind in _OF_A_FILE.items()
    )


def checksum(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def problems(folder: Path) -> Iterator[str]:
    """Yield what does not agree with the manifest, a sentence each. Raises BadRequest where there is none."""
    whole = read(folder)
    entries = {file["path"]: file for file in whole["files"]}
    for path, file in entries.items():
        if _is_within(folder, path):
            yield from _of_file(folder, path, file)
        else:
            yield f"{path} leads out of the folder, and is not opened"
    if (rows := sum(file["rows"] for file in whole["files"])) != whole["rows"]:
        yield f"its files have {rows:,} rows together, and the manifest says {whole['rows']:,}"
    for other in sorted(folder.glob("*/*")):
        if (path := other.relative_to(folder).as_posix()) not in entries:
            yield f"{path} is there, and the manifest does not name it"


def _is_within(folder: Path, path: str) -> bool:
    """Tell whether the file is one of this folder's, also where it is a link."""
    return "\0" not in path and (folder / path).resolve().is_relative_to(folder.resolve())


def _of_file(folder: Path, path: str, entry: dict[str, Any]) -> Iterator[str]:
    import pyarrow.parquet as parquet

    try:
        if (size := (folder / path).stat().st_size) != entry["bytes"]:
            yield f"{path} has {size:,} bytes, and the manifest says {entry['bytes']:,}"
        elif checksum(folder / path) != entry["sha256"]:
            yield f"{path} has another SHA-256 than the manifest says"
        elif (rows := parquet.read_metadata(folder / path).num_rows) != entry["rows"]:
            yield f"{path} has {rows:,} rows, and the manifest says {entry['rows']:,}"
    except OSError as error:
        yield f"{path} cannot be read: {error.strerror or error}"


def verify(folder: str) -> int:
    """Print a line for each report of a folder, or for each file that is not as it was written. The status.

    The folder is a report's, or the one that holds all of them. Raises BadRequest where no manifest is.
    """
    reports = _reports(Path(folder))
    wrong = sum(_verify(report) for report in reports)
    if wrong:
        raise PipelineProblem(
            f"{wrong:,} {'thing is' if wrong == 1 else 'things are'} not as the manifest says"
        )
    return 0


def _reports(folder: Path) -> list[Path]:
    within = sorted(file.parent for file in folder.glob(f"[!.]*/{NAME}"))
    return [folder] if (folder / NAME).exists() or not within else within


def _verify(folder: Path) -> int:
    whole = read(folder)
    differences = list(problems(folder))
    for problem in differences:
        print(printable(f"{folder.name}: {problem}"))
    if not differences:
        print(
            printable(
                f"{folder.name}: {len(whole['files']):,} files, {whole['rows']:,} rows: as they were written"
            )
        )
    return len(differences)
