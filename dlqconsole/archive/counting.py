"""The archive's figures. No file is opened for them: the database has the counts of each file."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from dlqconsole.archive.sql import sql
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """The figures of one kind: files, rows, bytes, the first and the last day."""

    kind: str
    files: int
    rows: int
    bytes: int
    first_day: date
    last_day: date


def by_status(event_type: str = "", queue: str = "") -> dict[str, int]:
    """Count the archived dead letters within the scope by status."""
    access = current_access()
    query = sql("archived.by_status").format(scope=access.columns("c.queue", "f.event_type"))
    values: dict[str, Any] = {"event_type": event_type, "queue": queue, **access.values()}
    return {row["status"]: row["rows"] for row in fetch_dicts(query, values)}


def figures() -> list[ArchiveFigures]:
    """Return the figures of each kind."""
    return [ArchiveFigures(**row) for row in fetch_dicts(sql("archived.figures"), {})]


def last_run() -> dict[str, Any] | None:
    """The newest run of the job: ``id``, ``status``, ``message``, ``seconds`` since it began; or None."""
    return next(iter(fetch_dicts(sql("archived.last_run"), {})), None)
