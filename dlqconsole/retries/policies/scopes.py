"""The scope of a policy: a failure group, an event type, or all dead letters."""

from __future__ import annotations

from dataclasses import dataclass

from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import groups, summaries
from dlqconsole.processing.inputs.sentences import Sentence

# is some of its scope visible; is all of it
type Seen = tuple[bool, bool]


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
            return Sentence("group {group_id}", group_id=self.group_id)
        return self.event_type or Sentence("all dead letters")


def seen(scope: PolicyScope) -> Seen:
    """Tell whether some and all of a scope is visible; a limited person sees none of several event types."""
    access = current_access()
    if not access.is_limited:
        return True, True
    if scope.group_id is not None:
        return groups.visibility(scope.group_id)
    if scope.event_type is None:
        return False, False
    whole = access.sees(ALL, scope.event_type)
    return whole or scope.event_type in summaries.event_types(), whole
