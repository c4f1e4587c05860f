"""Failed jobs as dead letters: each failure once, and closed when the job has succeeded by other means.

Numbers of a log grow, and a transaction may commit a lower one later. So a log is read only as far as it
stood at a moment whose transactions have all ended since. Who holds one open for longer than ``PATIENCE``
is not waited for: workers note a job's end in a statement of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.handling import Identity
from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.processing.headers import read_headers
from dlqconsole.transports.dead_letters import NewDeadLetter, headers_text, keep
from dlqconsole.transports.exhausted import status_of
from dlqconsole.transports.jobs.table import JobTable
from dlqconsole.transports.sql import sql

PATIENCE = 60.0


def close(table: JobTable, name: str, jobs: Sequence[int]) -> int:
    """Mark dead letters SUCCEEDED whose jobs were retried by other means and succeeded. Count them."""
    if not jobs:
        return 0
    values = {"name": name, "keys": [str(number) for number in jobs]}
    who = f"{table.label}, retried there by other means"
    return len(fetch_column(sql("jobs.recovered"), values | {"who": who}))


def adopt(table: JobTable, name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Write the dead letters of failed jobs, in the caller's transaction. Count the new failures."""
    if not rows:
        return 0
    ids = [str(row["id"]) for row in rows]
    revivals = {
        row["remote_id"]: (row["dlq_event_id"], row["revive_seq"])
        for row in fetch_dicts(sql("jobs.revivals"), {"name": name, "ids": ids})
    }
    letters = [_letter(table, name, row, revivals.get(str(row["id"]))) for row in rows]
    values = {
        "name": name,
        "keys": ids,
        "payloads": [letter.payload for letter in letters],
        "raws": [letter.payload_raw for letter in letters],
        "marks": [letter.worker for letter in letters],
    }
    known = set(fetch_column(sql("jobs.known"), values))
    fresh = [letter for number, letter in enumerate(letters, 1) if number not in known]
    keep(name, fresh)
    return len(fresh)


def _letter(
    table: JobTable, name: str, row: Mapping[str, Any], revival: tuple[int, int] | None
) -> NewDeadLetter:
    payload, raw = table.content(row)
    return NewDeadLetter(
        message_id=str(row["id"]),
        payload=payload,
        payload_raw=raw,
        headers=headers_text(read_headers(row["headers"])),
        identity=Identity(row["event_type"], name, str(row["id"])),
        failure=table.failure(row),
        status=status_of(row["event_type"]),
        revival=revival,
        # of one job many failures are told; this names the one
        worker=f"{table.label}, entry {row['log_id']} of its log",
        attempts=1 if revival else row["attempts"],
        failed_at=row["failed_at"],
    )


@dataclass(frozen=True, slots=True)
class LogPlace:
    """``read``: so far it was read. ``up_to``: so far it may be."""

    name: str
    read: int
    up_to: int

    @classmethod
    def lock(cls, name: str, mark: Mapping[str, Any], look: Callable[[], Mapping[str, Any]]) -> "LogPlace":
        """Lock the place of a queue's log until the transaction ends. ``mark``: the log just now.

        ``look`` looks once more, for a log that seems shorter: another relay may have been quicker.
        """
        values = {"name": name, "patience": PATIENCE}
        parts = fetch_dicts(sql("jobs.place"), values)
        if len(parts) < 3:
            execute(sql("jobs.begin"), values)
            parts = fetch_dicts(sql("jobs.place"), values)
        read, marked, running = (part["position"] for part in parts)
        is_old = parts[1]["old"]
        if read > mark["newest"]:
            mark = look()
        if read > mark["newest"]:  # it was emptied, and counts from 1 again
            read = marked = running = 0
        if read >= marked and mark["newest"] > read:
            marked, running, is_old = mark["newest"], mark["next"], False
            _move(name, {0: read, 1: marked, 2: running})
        return cls(name, read, marked if is_old or mark["oldest_running"] >= running else read)

    def move(self, read_to: int) -> None:
        """Note that it was read so far."""
        _move(self.name, {0: read_to})


def _move(name: str, positions: Mapping[int, int]) -> None:
    execute(sql("jobs.move"), {"name": name, "parts": list(positions), "positions": list(positions.values())})
