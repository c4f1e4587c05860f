"""The failure groups that the schedule's pace holds back now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.core.flow.pace import PaceKey
from dlqconsole.engine.counts.paces import paces


@dataclass(frozen=True, slots=True)
class GroupSlowdown:
    """The slowdown of one failure group of an event type: its ``rate`` a second, and ``why``."""

    key: PaceKey
    rate: float
    why: str


@dataclass(frozen=True, slots=True)
class SlowdownMap:
    """All slowdowns of one moment, by event type and failure group."""

    by_key: Mapping[PaceKey, GroupSlowdown]

    @classmethod
    def now(cls) -> SlowdownMap:
        rows = paces(slowed=True)
        keys = {PaceKey(each.event_type, each.group_id): each for each in rows}
        return cls({key: GroupSlowdown(key, each.rate, each.why) for key, each in keys.items() if each.rate})

    @property
    def groups(self) -> tuple[int, ...]:
        """The failure groups that are slowed apart from others of their event type."""
        return tuple(sorted({key.group_id for key in self.by_key if key.group_id}))

    def of(self, event_type: str, group_id: int | None) -> GroupSlowdown | None:
        """The slowdown of a dead letter of this type and failure group, or None."""
        return self.by_key.get(PaceKey(event_type, group_id or 0))
