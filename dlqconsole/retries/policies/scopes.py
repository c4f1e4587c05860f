"""The scope of a policy: a failure group, an event type, or all dead letters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyScope:
    """The scope of a policy. None: any. A group stands alone."""

    event_type: str | None = None
    group_id: int | None = None

    def takes(self, event_type: str | None, group_id: int | None) -> bool:
        """Tell whether such a dead letter is within it; None: any value."""
        return self.event_type in (None, event_type) and self.group_id in (None, group_id)

    @property
    def order(self) -> tuple[bool, bool]:
        """The largest is the most specific: a group, then an event type, then all."""
        return self.group_id is not None, self.event_type is not None

    @property
    def is_all(self) -> bool:
        return self == PolicyScope()

    def words(self) -> str:
        """The scope in words: ``flight.scheduled``."""
        if self.group_id is not None:
            return f"group {self.group_id}"
        return self.event_type or "all dead letters"
