"""The place in a log of another program's jobs, up to which its failures are dead letters here.

Numbers of a log grow, and a transaction may commit a lower one later. So a log is read only as far as it
stood at a moment whose transactions have all ended since. Who holds one open for longer than ``PATIENCE``
is not waited for: workers note a job's end in a statement of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.transports.sql import sql

PATIENCE = 60.0


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
