"""A canary: n probes, then 1 %, then 10 %, then all.

Between two stages it counts the outcomes of the moved items. When too many failed again, it halts by itself,
and the rest is not moved. Outcomes from before its probes were chosen do not count: a person may probe again.
"""

import math
import time
from collections.abc import Mapping

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import Stage
from dlqconsole.operations.options import COME_BACKS_TOO
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.pages.work import OperationLease
from dlqconsole.operations.requests.blockers import idle_queues
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored

SHARE = {Stage.FIRST: 0.01, Stage.SECOND: 0.1}
# the interval of its looks in the last stage, while it moves the rest
LOOK_SECONDS = 1.0
HALTED = stored("Halted: {why_sentence} The rest was not moved.")
MANY_FAILED = stored("more than {threshold:d} % failed again.")
NONE_HANDLED = stored("nothing of what was moved was handled within {seconds:d} s. {idle_sentence}")
WATCHES = stored("Watches what becomes of the canary ({stage_sentence}).")


class Halted(Exception):
    """Too many items failed again, or none was handled. The sentence has no numbers: these go on changing."""

    def __init__(self, why: str, outcomes: MoveOutcomes) -> None:
        super().__init__(HALTED.format(why_sentence=why))
        self.outcomes = outcomes


class Canary:
    """The stages of an operation that this worker leases."""

    def __init__(self, lease: OperationLease) -> None:
        self.lease, self.kind = lease, kinds.get(lease.kind)
        options: Mapping[str, int] = lease.options.get("canary") or {}
        self.probes, self.watch_seconds = options.get("probes", 5), options.get("watch_seconds", 60)
        self.threshold = options.get("threshold", 10)
        self._look_again_at = 0.0

    def choose(self) -> None:
        """Choose the probes, once; anew where a person probes again."""
        row = self._progress()
        if row["probes"]:
            return
        before = self.kind.outcomes_so_far(self.lease.id, row["done"], row["failed"])
        values = self.lease.values() | {
            "eligible": self.kind.eligible(),
            "leaves": self.kind.leaves_come_backs and not self.lease.options.get(COME_BACKS_TOO.name),
            **retry_limits.come_back_values(),
            "in_order": self.lease.options.get("no_order") is False,
            "probes": self.probes,
            "succeeded": before.succeeded,
            "failed_again": before.failed_again,
        }
        retry_transient(lambda: fetch_column(sql("canary.choose"), values))

    def room(self) -> int | None:
        """The number of items that this stage may still move; None: all. Zero: it must be watched first."""
        row = self._progress()
        if row["stage"] is None or row["stage"] == Stage.ALL:
            return None
        return max(self._target(row) - row["settled"], 0) if not row["watching"] else 0

    def is_at_probes(self) -> bool:
        return self._progress()["stage"] == Stage.PROBES

    def look(self) -> str:
        """Look at a stage's outcomes; return a sentence on what it waits for.

        Empty: the next stage may begin.

        Raises Halted when too many failed again or nobody handles the probes, and NotOurs.
        """
        row = self._progress()
        outcomes = self._outcomes(row)
        self._judge(outcomes)
        if not row["watching"]:
            values = self.lease.values() | {"seconds": self.watch_seconds}
            fetch_column(sql("canary.watch"), values)
        if outcomes.under_way and not row["over"]:
            return WATCHES.format(stage_sentence=Stage(row["stage"]).label)
        if outcomes.moved and not outcomes.decided:
            why = NONE_HANDLED.format(seconds=self.watch_seconds, idle_sentence=self._idle_sentence())
            raise Halted(why, outcomes)
        self._judge(outcomes, final=True)
        self._advance(row["stage"], outcomes)
        return ""

    def look_now_and_then(self) -> None:
        """Look at the outcomes from time to time while the last stage moves the rest. Raises Halted."""
        if time.monotonic() < self._look_again_at:
            return
        row = self._progress()
        if row["stage"] is not None:
            start = time.monotonic()
            self._judge(self._outcomes(row), final=True)
            # a look at a million items takes a while: it must not take the most of the time
            self._look_again_at = time.monotonic() + max(LOOK_SECONDS, 5 * (time.monotonic() - start))

    def _outcomes(self, row: Mapping[str, int]) -> MoveOutcomes:
        """The outcomes since the probes were chosen."""
        now = self.kind.outcomes_so_far(self.lease.id, row["done"], row["failed"])
        return MoveOutcomes(
            now.failed_again - row["failed_again"], now.succeeded - row["succeeded"], now.under_way
        )

    def _judge(self, outcomes: MoveOutcomes, final: bool = False) -> None:
        """Raise Halted if too many failed again: of all moved items, or, if ``final``, of those decided."""
        of = outcomes.decided if final else outcomes.moved
        if outcomes.failed_again * 100 > self.threshold * of:
            raise Halted(MANY_FAILED.format(threshold=self.threshold), outcomes)

    def _idle_sentence(self) -> str:
        """The sentence why nobody handles its messages, as far as known."""
        return next(iter(idle_queues(self.lease.id)), stored("Is a consumer running?"))

    def _advance(self, stage: int, outcomes: MoveOutcomes) -> None:
        values = self.lease.values() | {
            "stage": stage,
            "succeeded": outcomes.succeeded,
            "failed_again": outcomes.failed_again,
        }
        if not fetch_column(sql("canary.advance"), values):
            raise NotOurs

    def _target(self, row: Mapping[str, int]) -> int:
        probes_settled = row["settled_before"] + row["probes"]
        if row["stage"] == Stage.PROBES:
            return probes_settled
        return max(math.ceil(row["selected"] * SHARE[Stage(row["stage"])]), probes_settled)

    def _progress(self) -> dict[str, int]:
        rows = fetch_dicts(sql("canary.progress"), self.lease.values())
        if not rows:
            raise NotOurs
        return rows[0]
