"""A canary: n probes, then 1 %, then 10 %, then all.

Between two stages it looks at what became of what was moved. When too much of it came back it halts by
itself, and the rest is not moved.
"""

import math
import time
from collections.abc import Mapping

from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.operations import kinds, predictions
from dlqconsole.operations.blockers import idle
from dlqconsole.operations.common_options import COME_BACKS_TOO
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.fate import Fate
from dlqconsole.operations.models import Stage
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Held

SHARE = {Stage.FIRST: 0.01, Stage.SECOND: 0.1}
# in the last stage it looks this often while it moves the rest
LOOK_SECONDS = 1.0


class Halted(Exception):
    """Too much came back; the sentence says how much."""


class Canary:
    """The stages of an operation in this worker's hands."""

    def __init__(self, held: Held) -> None:
        self.held, self.kind = held, kinds.get(held.kind)
        given: Mapping[str, int] = held.options.get("canary") or {}
        self.probes, self.watch_seconds = given.get("probes", 5), given.get("watch_seconds", 60)
        self.threshold = given.get("threshold", 10)
        self._look_again_at = 0.0

    def choose(self) -> None:
        """Choose the probes, once."""
        values = self.held.values() | {
            "eligible": self.kind.eligible(),
            "leaves": self.kind.leaves_come_backs and not self.held.options.get(COME_BACKS_TOO.name),
            **come_backs.values(),
            **predictions.values(self.held.options),
            "in_order": self.held.options.get("no_order") is False,
            "probes": self.probes,
        }
        retry_transient(lambda: fetch_column(sql("canary.choose"), values))

    def room(self) -> int | None:
        """How many more items this stage may move; None: all. Zero: it is to be watched."""
        row = self._progress()
        if row["stage"] is None or row["stage"] == Stage.ALL:
            return None
        return max(self._target(row) - row["settled"], 0) if not row["watching"] else 0

    def is_at_probes(self) -> bool:
        return self._progress()["stage"] == Stage.PROBES

    def look(self) -> str:
        """After a stage: what it waits for, in a sentence; empty when the next stage may begin.

        Raises Halted when too much came back, or when nobody handles the probes, and NotOurs.
        """
        row = self._progress()
        found = self.kind.became(self.held.id, row["done"], row["failed"])
        self._judge(found)
        if not row["watching"]:
            values = self.held.values() | {"seconds": self.watch_seconds}
            fetch_column(sql("canary.watch"), values)
        if found.under_way and not row["over"]:
            return f"Watching the canary ({Stage(row['stage']).label}): {_words(found)}."
        if found.moved and not found.decided:
            raise Halted(
                f"Halted: nothing of what was moved was handled within {self.watch_seconds} s. {self._idle()}"
                f" {_words(found).capitalize()}. The rest was not moved."
            )
        self._judge(found, final=True)
        self._advance(row["stage"], found)
        return ""

    def look_now_and_then(self) -> None:
        """While the last stage moves the rest. Raises Halted."""
        if time.monotonic() < self._look_again_at:
            return
        row = self._progress()
        if row["stage"] is not None:
            started = time.monotonic()
            self._judge(self.kind.became(self.held.id, row["done"], row["failed"]), final=True)
            # a look at a million items takes a while: it must not take the most of the time
            self._look_again_at = time.monotonic() + max(LOOK_SECONDS, 5 * (time.monotonic() - started))

    def _judge(self, found: Fate, final: bool = False) -> None:
        """While some are under way only what is certain counts: so many of all that were moved."""
        of = found.decided if final else found.moved
        if found.came_back and found.came_back * 100 > self.threshold * of:
            raise Halted(
                f"Halted: {found.came_back:,} of {of:,} came back, more than {self.threshold} %"
                f" ({_words(found)}). The rest was not moved."
            )

    def _idle(self) -> str:
        """Why nobody handles it, where that is known."""
        return next(iter(idle(self.held.id)), "Is a consumer running?")

    def _advance(self, stage: int, found: Fate) -> None:
        values = self.held.values() | {
            "stage": stage,
            "stayed": found.stayed_away,
            "came_back": found.came_back,
        }
        if not fetch_column(sql("canary.advance"), values):
            raise NotOurs

    def _target(self, row: Mapping[str, int]) -> int:
        if row["stage"] == Stage.PROBES:
            return row["probes"]
        return max(math.ceil(row["selected"] * SHARE[Stage(row["stage"])]), row["probes"])

    def _progress(self) -> dict[str, int]:
        rows = fetch_dicts(sql("canary.progress"), self.held.values())
        if not rows:
            raise NotOurs
        return rows[0]


def _words(found: Fate) -> str:
    return (
        f"{found.stayed_away:,} stayed away, {found.came_back:,} came back, {found.under_way:,} are under way"
    )
