"""The paces that who asks may read: each tells how much of all of a failure group came back."""

from collections.abc import Collection

from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import groups
from dlqconsole.engine.pacing import GroupPace, paces


def visible_paces(event_types: Collection[str] | None = None, *, slowed: bool = False) -> list[GroupPace]:
    """Return the schedule's paces of these types, or of all, that are seen; ``slowed``: only slowed ones."""
    rows = paces(event_types, slowed=slowed)
    return [each for each in rows if is_pace_seen(each.event_type, each.group_id)]


def is_pace_seen(event_type: str, group_id: int) -> bool:
    """Tell whether all of a failure group is seen; without one (0), all of the event type."""
    return groups.visibility(group_id)[1] if group_id else current_access().sees(ALL, event_type)
