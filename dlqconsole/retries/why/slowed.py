"""What the schedule's pace holds back now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.engine.pacing import PaceKey, paces


@dataclass(frozen=True, slots=True)
class Slowed:
    """``rate`` a second, and ``why``: of the events of a type that are in one failure group."""

    key: PaceKey
    rate: float
    why: str


@dataclass(frozen=True, slots=True)
class Pace:
    """Everything that is slowed at one moment."""

    by_key: Mapping[PaceKey, Slowed]

    @classmethod
    def now(cls) -> Pace:
        found = paces(slowed=True)
        keys = {PaceKey(each.event_type, each.group_id): each for each in found}
        return cls({key: Slowed(key, each.rate, each.why) for key, each in keys.items() if each.rate})

    @property
    def groups(self) -> tuple[int, ...]:
        """The failure groups that it tells from others of their event type."""
        return tuple(sorted({key.group_id for key in self.by_key if key.group_id}))

    def of(self, event_type: str, group_id: int | None) -> Slowed | None:
        """What slows a dead letter of this type and failure group."""
        return self.by_key.get(PaceKey(event_type, group_id or 0))
