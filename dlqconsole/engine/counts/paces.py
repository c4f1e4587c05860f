"""Failure groups' paces, for people to look at: the schedule's, or an operation's own."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.core.flow.judging import DEFAULT_BOUNDS, rate_words
from dlqconsole.core.flow.pace import SCHEDULE
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import groups
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import translated


@dataclass(frozen=True, slots=True)
class GroupPace:
    """The pace of an event type's events in one failure group (0: in none).

    ``rate``, ``floor``, ``ceiling``: events a second; no rate: nothing is held back. ``share``, 0 to 1, and
    the latencies, in seconds, are those of the window that was judged last; None before the first.
    """

    operation_id: int
    event_type: str
    group_id: int
    error_class: str
    rate: float | None
    floor: float
    ceiling: float
    share: float | None
    recent_seconds: float | None
    baseline_seconds: float | None
    slowed_at: datetime | None
    noted_at: datetime
    why: str

    @property
    def name(self) -> str:
        """``order.created, PlaneUnknown``"""
        return f"{self.event_type}, {self.error_class}" if self.error_class else self.event_type

    @property
    def sentence(self) -> str:
        """``Slowed to 120 an hour since 2026-11-22 17:03 UTC: 34 % of 210 failed again``; else empty."""
        if self.rate is None or self.slowed_at is None:
            return ""
        return _("Slowed to {rate} since {since}: {why}").format(
            rate=translated(rate_words(self.rate)),
            since=moment(self.slowed_at, MINUTES),
            why=stored_text(self.why),
        )


def paces(
    event_types: Collection[str] | None = None, *, operation: int = SCHEDULE, slowed: bool = False
) -> list[GroupPace]:
    """Return the paces of these types, or of all, the slowest first; ``slowed``: only slowed ones.

    Those of the schedule, or an operation's own: neither holds back what the other tries.
    """
    values = {
        "operation": operation,
        "event_types": None if event_types is None else sorted(event_types),
        "slowed": slowed,
    }
    rows = fetch_dicts(sql("pacing.standing"), values) if settings.DLQ_PACE_ENABLED else []
    return [GroupPace(**row) for row in rows]


def rule_words() -> str:
    """Say when a group is slowed, and within which bounds."""
    now = DEFAULT_BOUNDS
    return _(
        "When more than {share:.0f} % of a failure group fail again, or its handler takes twice as long as"
        " usual, it is slowed by itself, to {floor} where all of it fails again; at {ceiling} nothing is held"
        " back any more. Other groups do not wait for it."
    ).format(
        share=now.come_back * 100,
        floor=translated(rate_words(now.floor)),
        ceiling=translated(rate_words(now.ceiling)),
    )


def visible_paces(event_types: Collection[str] | None = None, *, slowed: bool = False) -> list[GroupPace]:
    """Return the schedule's paces of these types, or of all, that are seen; ``slowed``: only slowed ones."""
    rows = paces(event_types, slowed=slowed)
    return [each for each in rows if is_pace_seen(each.event_type, each.group_id)]


def is_pace_seen(event_type: str, group_id: int) -> bool:
    """Tell whether all of a failure group is seen; without one (0), all of the event type."""
    return groups.visibility(group_id)[1] if group_id else current_access().sees(ALL, event_type)
