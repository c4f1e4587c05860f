"""Whose policies somebody sees and may touch: those of the event types and groups that they see."""

from dlqconsole.engine.counts import groups, summaries
from dlqconsole.engine.reach import ALL, Reach
from dlqconsole.retries.policies.scopes import Scope

# some of what it is about is seen; all of it is
type Seen = tuple[bool, bool]


def seen(scope: Scope, reach: Reach) -> Seen:
    """A policy for more than one event type is about what a limited person does not see."""
    if not reach.is_limited:
        return True, True
    if scope.group_id is not None:
        return groups.visibility(scope.group_id, reach)
    if scope.event_type is None:
        return False, False
    whole = reach.sees(ALL, scope.event_type)
    return whole or scope.event_type in summaries.event_types(reach), whole
