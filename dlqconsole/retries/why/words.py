"""The reasons in words, the same for one dead letter and for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.core.flow.judging import rate_words
from dlqconsole.core.flow.pace import PaceKey
from dlqconsole.engine.counts.paces import is_pace_seen, paces
from dlqconsole.engine.moments import duration_in_two
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.retries.actions import why_revived
from dlqconsole.retries.policies import Policy
from dlqconsole.retries.policies.words import source_words

OFF = gettext_lazy("The schedule is switched off (DLQ_RETRY_ENABLED): only a person can retry or revive it.")

COUNTED = {
    "DUE": gettext_lazy("due now: a run takes them, as many as it has time for ({time})"),
    "WAITS": gettext_lazy("waiting: their time has not come yet"),
    "USED_UP": gettext_lazy("have used their tries: the next run marks them EXHAUSTED"),
    "CAME_BACK": gettext_lazy(
        "failed again after {most} revivals (DLQ_COME_BACKS): retries stopped, a person decides"
    ),
    "NO_HANDLER": gettext_lazy(
        "have no handler{types}: left until DLQ_HANDLERS has one or a policy revives them"
    ),
    "OFF": gettext_lazy("left to a person: the schedule is switched off (DLQ_RETRY_ENABLED)"),
    "BUSINESS": gettext_lazy("BUSINESS failures: a person decides, no machine retries them"),
    "PERMANENT": gettext_lazy(
        "PERMANENT failures: the same event would fail again until somebody changes something"
    ),
    "RETRYING": gettext_lazy("being retried just now"),
    "LEASE": gettext_lazy("claimed by workers that have stopped: the next tick takes them back"),
    "EXHAUSTED": gettext_lazy("exhausted: all tries used, a person decides"),
    "QUARANTINED": gettext_lazy("quarantined: no machine touches them by itself; a person may"),
    "REVIVED": gettext_lazy("revived: their messages are on their queues, here or over there"),
    "DISCARDED": gettext_lazy("discarded by a person"),
}


def count_words(code: str, types: str = "") -> str:
    """The words for all dead letters with a reason, or category, that names nothing else."""
    if code not in COUNTED:
        return _("{code} failures: a person decides, no machine retries them").format(code=code)
    time = duration_in_two(settings.DLQ_RETRY_TIME_BUDGET)
    return COUNTED[code].format(types=types, time=time, most=settings.DLQ_COME_BACKS)


def slowdown_words(slowdown: GroupSlowdown) -> str:
    """``slowed to 60 a minute, because 34 % of 210 failed again``: that is for who sees all of the group."""
    is_seen = is_pace_seen(slowdown.key.event_type, slowdown.key.group_id)
    words = _("slowed to {rate}, because {why}") if is_seen else _("slowed to {rate}")
    return words.format(rate=translated(rate_words(slowdown.rate)), why=stored_text(slowdown.why))


def revive_words(policy: Policy) -> str:
    """The words for those that a run revives, with the reason."""
    return _("due now: a run revives them, because {why}").format(why=why_revived(policy))


def rate_limit_words(policy: Policy) -> str:
    """A policy's rate in words, with the number in a run."""
    source = source_words(policy.sources["rate"])
    return _("limited to {rate} by {source}, {number:,} in a run").format(
        rate=translated(rate_words(policy.rate or 0)), source=source, number=takes(policy)
    )


def takes(policy: Policy) -> int:
    """The most that a run takes under a policy with a rate."""
    return max(int((policy.rate or 0) * settings.DLQ_RETRY_TIME_BUDGET), 1)


def last(seconds: float) -> str:
    """``some 17 min``"""
    return _("some {seconds}").format(seconds=duration_in_two(max(seconds, 1)))


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
