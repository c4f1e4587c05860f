"""The policies that a person sees and may change: those of the event types and groups within the scope."""

from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import groups, summaries
from dlqconsole.retries.policies.scopes import PolicyScope

# is some of its scope visible; is all of it
type Seen = tuple[bool, bool]


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
