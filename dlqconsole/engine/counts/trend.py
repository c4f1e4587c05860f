"""Relations with the kept figures within a scope, in place of the views of all figures.

Totals are kept by queue and event type, so that they are exact for every scope. Hours are kept by group:
those of a group that lies within the scope as a whole are taken from there; of one that lies there in part
the dead letters are counted one by one, by the group's index.
"""

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.sql import sql


def totals() -> str:
    """Return the relation in place of ``dead_letter_totals``; the scope's ``values`` has its parameters."""
    if not current_access().is_limited:
        return "dead_letter_totals"
    return sql("trend.totals").format(counted=_condition())


def hours(back: int, *, parts: bool = True) -> str:
    """Return the relation in place of ``dead_letter_trend``. ``parts``: also of groups seen in part."""
    access = current_access()
    if not access.is_limited:
        return "dead_letter_trend"
    whole = sql("trend.whole").format(counted=_condition())
    if not parts:
        return f"({whole}) within_scope"
    part = sql("trend.part").format(counted=_condition(), letters=access.letters("d"), back=int(back))
    return f"({whole} UNION ALL {part}) within_scope"


def _condition() -> str:
    return current_access().columns("t.queue", "t.event_type")
