"""How much lies in the archive. Nothing is opened for it: each file's counts stand in the database."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from dlqconsole.archive.sql import sql
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.reach import Reach


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one kind: files, rows, bytes, and from which day to which."""

    kind: str
    files: int
    rows: int
    bytes: int
    first_day: date
    last_day: date


def by_status(reach: Reach, event_type: str = "", queue: str = "") -> dict[str, int]:
    """How many archived dead letters each status had, of those that somebody sees."""
    query = sql("archived.by_status").format(reach=reach.columns("c.queue", "f.event_type"))
    values: dict[str, Any] = {"event_type": event_type, "queue": queue, **reach.values()}
    return {row["status"]: row["rows"] for row in fetch_dicts(query, values)}


def figures() -> list[Figures]:
    """What is kept, a kind a line."""
    return [Figures(**row) for row in fetch_dicts(sql("archived.figures"), {})]


def last_run() -> dict[str, Any] | None:
    """The newest run of the job: ``id``, ``status``, ``message``, ``seconds`` since it began; None: never."""
    return next(iter(fetch_dicts(sql("archived.last_run"), {})), None)
