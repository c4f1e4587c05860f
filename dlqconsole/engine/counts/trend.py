"""Relations with the kept figures within a reach, in place of the views of all figures.

Totals are kept by queue and event type, so that they are exact for every reach. Hours are kept by group:
those of a group that lies within reach as a whole are taken from there; of one that lies there in part the
dead letters are counted one by one, by the group's index.
"""

from dlqconsole.engine.reach import Reach
from dlqconsole.engine.sql import sql


def totals(reach: Reach) -> str:
    """Return the relation in place of ``dead_letter_totals``; ``reach.values`` has its parameters."""
    if not reach.is_limited:
        return "dead_letter_totals"
    return sql("trend.totals").format(counted=_condition(reach))


def hours(reach: Reach, back: int, *, parts: bool = True) -> str:
    """Return the relation in place of ``dead_letter_trend``. ``parts``: also of groups seen in part."""
    if not reach.is_limited:
        return "dead_letter_trend"
    whole = sql("trend.whole").format(counted=_condition(reach))
    if not parts:
        return f"({whole}) within_reach"
    part = sql("trend.part").format(counted=_condition(reach), letters=reach.letters("d"), back=int(back))
    return f"({whole} UNION ALL {part}) within_reach"


def _condition(reach: Reach) -> str:
    return reach.columns("t.queue", "t.event_type")
