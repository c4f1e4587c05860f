"""The schedule's action on a dead letter that is due: retry, revive, or none, and why.

A policy may say it. Where none does, what a worker has a handler for is retried; the rest is revived where a
program consumes its queue by SQL.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import known_handlers
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryAction
from dlqconsole.retries.policies import Policy, RetryPartition
from dlqconsole.retries.policies.words import source_words
from dlqconsole.retries.sql import sql


@dataclass(frozen=True, slots=True)
class Healers:
    """``event_types``: those that workers have handlers for; None: unknown. ``consumers``: by queue."""

    event_types: frozenset[str] | None
    consumers: Mapping[str, tuple[str, ...]]

    @classmethod
    def now(cls) -> "Healers":
        """Return those that run now, as pages tell of them."""
        handlers = known_handlers.for_retries()
        event_types = None if handlers is None else handlers.event_types
        return cls(event_types, known_handlers.sql_consumers())

    @property
    def queues(self) -> list[str]:
        """The queues that programs consume by SQL."""
        return sorted(self.consumers)

    def has_handler(self, event_type: str) -> bool:
        """Tell whether a live worker can retry such events; True also where this is unknown."""
        return self.event_types is None or event_type in self.event_types

    def action(self, policy: Policy, event_type: str, is_consumed: bool) -> RetryAction | None:
        """Return the action on such dead letters; ``is_consumed``: their queue is one of ``queues``."""
        if policy.action == RetryAction.REVIVE:
            return RetryAction.REVIVE
        if self.has_handler(event_type):
            return RetryAction.RETRY
        return RetryAction.REVIVE if is_consumed and policy.action is None else None


def why_revived(policy: Policy, event_type: str = "them") -> str:
    """Return why such dead letters are revived, and not retried."""
    if policy.action == RetryAction.REVIVE:
        return _("{action} says so").format(action=source_words(policy.sources["action"]))
    return _(
        "no schedule worker has a handler for {event_type}, and a program consumes the queue by SQL"
    ).format(event_type=event_type)


def retry_lanes(event_types: Collection[str]) -> list[RetryPartition]:
    """Return the lanes of these event types whose handlers may run now."""
    lanes = policies.current().lanes(sorted(event_types))
    return [lane for lane in lanes if lane.policy.action != RetryAction.REVIVE]


@dataclass(frozen=True, slots=True)
class Revivals:
    """The lanes that may be revived now. ``under_way``: by event type, those revived without an outcome."""

    lanes: Sequence[RetryPartition] = ()
    under_way: Mapping[str, int] = field(default_factory=dict)


def revivals() -> Revivals:
    """Return what may be revived now, by any worker."""
    current, consumers = policies.current(), known_handlers.sql_consumers()
    if not (consumers or current.some_revive):
        return Revivals()
    healers = Healers(known_handlers.of_workers() | set(registry().event_types), consumers)
    queues: dict[str, list[str]] = defaultdict(list)
    under_way: dict[str, int] = defaultdict(int)
    for row in fetch_dicts(sql("runs.waiting_types"), {}):
        under_way[row["event_type"]] += row["under_way"]
        if row["waiting"]:
            queues[row["event_type"]].append(row["queue"])
    lanes = [revived for lane in current.lanes(queues) if (revived := _revived(lane, queues, healers))]
    return Revivals(lanes, under_way)


def _revived(
    lane: RetryPartition, queues: Mapping[str, Sequence[str]], healers: Healers
) -> RetryPartition | None:
    """Return the part of a lane that is revived; None: nothing of it."""
    consumed = tuple(name for name in queues[lane.event_type] if name in healers.consumers)
    action = healers.action(lane.policy, lane.event_type, bool(consumed))
    if action != RetryAction.REVIVE:
        return None
    return lane if lane.policy.action else replace(lane, only_queues=consumed)
