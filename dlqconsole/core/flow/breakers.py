"""Circuit breakers: handlers do not run while something that they need does not answer.

One state in the database for each event type and each dependency that handlers name. Consumers, the schedule,
operations and Spark report to it and ask it before they run a handler. An outage opens it, not a tenth of
failures; while it is open nothing uses up its tries, and one run at a time tries whether it is over.
"""

import logging
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.settings import settings
from dlqconsole.core.sql import sql
from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.outcomes import Failed, Outcome

from .failure_score import FailureScore, success_weight
from .keys import key_to_blame, keys_of, types_of

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
FLUSH_EVERY = 1.0
# a success of a first attempt is told so often where all is well
TELL_EVERY = 15.0
# of events that failed before practically all must fail: a tenth that succeeds holds the balance
AGAIN_WEIGHT = 9.0
MOST_REMEMBERED = 1_000
# the error class of what was not tried
NOT_TRIED = "BreakerOpen"
_QUIET = {"state": "closed", "held": None, "score": 0.0, "again_score": 0.0}


@dataclass(frozen=True, slots=True)
class Rules:
    """The bounds that open and close a breaker, and its pauses. ``failures`` is DLQ_BREAKER_FAILURES.

    ``share``: the percentage of such failures that a breaker bears for ever. ``successes``: so many in a row
    close it. Pauses in seconds: each is twice as long as the one before, up to the longest.
    """

    failures: int = 20
    share: int = 50
    successes: int = 3
    first_pause: float = 5.0
    longest_pause: float = 60.0


DEFAULT_RULES = Rules()


@dataclass(frozen=True, slots=True)
class Blocked:
    """The reason why a handler must not run now. ``next_probe_seconds``: when one run may try.

    It is None while a person holds the breaker; ``held_by`` is empty where no person does.
    """

    key: str
    reason: str
    since: datetime
    next_probe_seconds: float | None
    held_by: str = ""
    held_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class BlockedTypes:
    """Event types whose handlers must not run; of ``types_again`` those that were never tried may."""

    types: tuple[str, ...]
    types_again: tuple[str, ...]


@dataclass(slots=True)
class _Pending:
    """The news about one breaker that the board does not have yet, and the event type heard of last."""

    event_type: str
    first: FailureScore = field(default_factory=FailureScore)
    again: FailureScore = field(default_factory=FailureScore)
    went_well: int = 0
    first_went_well: int = 0
    last_success: float | None = None
    were_away: int = 0
    why: str = ""
    since: float = field(default_factory=time.monotonic)


class Gate:
    """Looks at the breakers once a second at most, and tells them at once what may open or close them.

    One thread's. Every method may raise the errors of the database; what was not told is told later.
    ``handlers`` and ``rules``: a Spark worker's own; else those of this process's settings.
    """

    def __init__(self, handlers: Registry | None = None, rules: Rules | None = None) -> None:
        self._handlers, self._rules = handlers, rules
        self._rows: dict[str, dict[str, Any]] = {}
        self._looked_at = self._look_at = 0.0
        self._pending: dict[str, _Pending] = {}
        self._told_at: dict[str, float] = {}
        # events that failed again, so that the same one does not count as many
        self._again: OrderedDict[tuple[str, str], None] = OrderedDict()

    def registry(self) -> Registry:
        """The handlers, which say what they depend on. Raises HandlerSetupError."""
        return self._handlers or registry()

    def rules(self) -> Rules:
        """The bounds of every breaker."""
        return self._rules or Rules(settings.DLQ_BREAKER_FAILURES)

    def is_quiet(self) -> bool:
        """Tell whether no handler at all is blocked."""
        self._look_now_and_then()
        return not any(_blocks(row) for row in self._rows.values())

    def blocked(self, event_type: str, *, first: bool = False) -> Blocked | None:
        """Return why a handler of the type must not run now, or None. ``first``: nobody tried it yet."""
        self._look_now_and_then()
        if not self._rows:  # all is closed, as it nearly always is, and each event comes by here
            return None
        rows = [
            row
            for key in keys_of(self.registry(), event_type)
            if _blocks(row := self._rows.get(key, _QUIET), first)
        ]
        if not rows:
            return None
        blocks = [self._block(row) for row in rows]
        # the one that opens last says how long
        return max(blocks, key=lambda each: (each.next_probe_seconds is None, each.next_probe_seconds or 0.0))

    def stopped(self) -> BlockedTypes:
        """The event types that are blocked now."""
        self._look_now_and_then()
        blocking = [row for row in self._rows.values() if _blocks(row)]
        return BlockedTypes(
            tuple(
                kind
                for row in blocking
                if _blocks(row, first=True)
                for kind in types_of(self.registry(), row["key"])
            ),
            tuple(
                kind
                for row in blocking
                if not _blocks(row, first=True)
                for kind in types_of(self.registry(), row["key"])
            ),
        )

    def due(self) -> tuple[str, ...]:
        """The event types of which one run may try now whether it is over."""
        stop = self.stopped()
        blocks = {kind: self.blocked(kind) for kind in (*stop.types, *stop.types_again)}
        return tuple(kind for kind, block in blocks.items() if block and block.next_probe_seconds == 0)

    def may_probe(self, event_type: str) -> bool:
        """Tell whether the caller may run one handler of the type as a test: one of all processes may."""
        block = self.blocked(event_type)
        if block is None:
            return True
        if block.next_probe_seconds is None or block.next_probe_seconds > 0:
            return False
        values = {"keys": list(keys_of(self.registry(), event_type)), **_pauses(self.rules())}
        may_run = bool(fetch_column(sql("breakers.probe"), values)[0])
        self._look_at = 0.0
        return may_run

    def why_not(self, event_type: str, *, first: bool = False) -> Blocked | None:
        """Return why a handler of the type must not run now, and until when; None: it may, if to probe."""
        block = self.blocked(event_type, first=first)
        return None if block is None or self.may_probe(event_type) else block

    def blocked_types(self) -> list[str]:
        """Return the event types whose handlers must not run, but for those of which one may try."""
        blocks, due = self.stopped(), self.due()
        return sorted({*blocks.types, *blocks.types_again} - {*due})

    def note(self, event_type: str, outcome: Outcome, *, first: bool, which: str = "") -> None:
        """Learn from what came of a run. ``which`` tells one event that failed before from another."""
        if not isinstance(outcome, Failed):
            self.note_successes(event_type, 1, first=first)
        elif outcome.says_away:
            self._note_away(event_type, outcome, first, which)
        else:
            self._note_others(event_type, int(outcome.other_side_answers))

    def note_successes(self, event_type: str, number: int, *, first: bool) -> None:
        """Learn from so many runs of a type that went well: each event comes by here."""
        self._note_others(event_type, number, number, first=first)

    def flush(self) -> None:
        """Tell what waits to be told."""
        for key in list(self._pending):
            if self._is_worth_telling(key):
                self._tell(key)
            else:
                del self._pending[key]

    def _note_away(self, event_type: str, failure: Failed, first: bool, which: str) -> None:
        key = key_to_blame(self.registry(), event_type, failure)
        if not first and which and not self._is_new(key, which):
            return
        pending = self._pending.get(key) or self._begin(key, event_type)
        pending.event_type = event_type
        pending.were_away += 1
        pending.why = failure.reason
        score = pending.first if first else pending.again
        score.note_failure()
        if score.rises or self._is_stirred(key) or _is_old(pending):
            self._tell(key)

    def _note_others(self, event_type: str, answers: int, successes: int = 0, *, first: bool = False) -> None:
        """``successes``, or data that is missing: the other side answers. Another failure tells nothing."""
        for key in keys_of(self.registry(), event_type):
            pending = self._pending.get(key) or self._begin(key, event_type)
            pending.went_well += answers
            if successes:
                pending.first_went_well += successes if first else 0
                pending.last_success = time.monotonic() if first else pending.last_success
                weight = success_weight(self.rules().share) if first else AGAIN_WEIGHT
                (pending.first if first else pending.again).note_successes(weight * successes)
            due = _is_old(pending) or key not in self._told_at
            if self._is_stirred(key) or (due and self._is_worth_telling(key)):
                self._tell(key)

    def _begin(self, key: str, event_type: str) -> _Pending:
        pending = self._pending[key] = _Pending(event_type)
        return pending

    def _is_new(self, key: str, which: str) -> bool:
        if (key, which) in self._again:
            return False
        self._again[key, which] = None
        while len(self._again) > MOST_REMEMBERED:
            self._again.popitem(last=False)
        return True

    def _is_stirred(self, key: str) -> bool:
        """Tell whether the breaker is not closed, so that each outcome counts."""
        return bool(self._rows.get(key, _QUIET)["state"] != "closed")

    def _is_worth_telling(self, key: str) -> bool:
        """Tell whether the board needs this. Of a healthy breaker it hears only now and then."""
        pending, row = self._pending[key], self._rows.get(key, _QUIET)
        if pending.were_away or row["state"] != "closed" or row["score"] or row["again_score"]:
            return True
        told_at = self._told_at.get(key)
        return bool(pending.first_went_well) and (told_at is None or time.monotonic() - told_at > TELL_EVERY)

    def _tell(self, key: str) -> None:
        pending, rules = self._pending[key], self.rules()
        values = {
            "key": key,
            "event_type": pending.event_type,
            "added": pending.first.change,
            "least": pending.first.least,
            "last_success_ago": None
            if pending.last_success is None
            else time.monotonic() - pending.last_success,
            "again_added": pending.again.change,
            "again_least": pending.again.least,
            "went_well": pending.went_well,
            "first_went_well": pending.first_went_well,
            "were_away": pending.were_away,
            "why": pending.why,
            "opens_at": rules.failures,
            "closes_after": rules.successes,
            **_pauses(rules),
        }
        now = str(fetch_column(sql("breakers.note"), values)[0])
        del self._pending[key]
        self._told_at[key] = time.monotonic()
        before = self._rows.get(key, _QUIET)["state"]
        self._rows[key] = self._rows.get(key, _QUIET) | {"state": now}
        if now != before:
            self._note_change(key, before, now, pending.why)

    def _note_change(self, key: str, before: str, now: str, why: str) -> None:
        self._look_at = 0.0
        if before == "closed":
            log.warning("the breaker %s opened, its handlers wait: %s", key, why)
        elif now == "closed":
            log.warning("the breaker %s closed, its handlers run again", key)

    def _look_now_and_then(self) -> None:
        if time.monotonic() < self._look_at:
            return
        self._rows = {row["key"]: row for row in fetch_dicts(sql("breakers.look"), {})}
        self._looked_at = time.monotonic()
        self._look_at = self._looked_at + LOOK_EVERY

    def _block(self, row: dict[str, Any]) -> Blocked:
        if row["held"]:
            return Blocked(
                row["key"], row["held_reason"], row["since"], None, row["held_by"], row["held_until"]
            )
        seconds = row["next_probe_seconds"] - (time.monotonic() - self._looked_at)
        return Blocked(row["key"], row["reason"], row["since"], max(seconds, 0.0))


def _blocks(row: dict[str, Any], first: bool = False) -> bool:
    if row["held"]:
        return bool(row["held"] == "open")
    return bool(row["state"] != "closed" and not (first and row["only_again"]))


def _is_old(pending: _Pending) -> bool:
    return time.monotonic() - pending.since > FLUSH_EVERY


def _pauses(rules: Rules) -> dict[str, float]:
    return {"first_pause": rules.first_pause, "longest_pause": rules.longest_pause}


def blocked_outcome(block: Blocked) -> Failed:
    """Return the outcome of an event whose handler was not called. The schedule tries it later."""
    why = f"{block.held_by} holds it open" if block.held_by else block.reason
    reason = f"{NOT_TRIED}: its handler was not called, because the breaker {block.key} is open: {why}"
    return Failed(reason[:4_000], "DEPENDENCY", NOT_TRIED, "")
