"""The reasons in words, the same for one dead letter and for many."""

from django.conf import settings

from dlqconsole.core.flow.pace_words import rate_words
from dlqconsole.engine.counts.paces import is_pace_seen
from dlqconsole.processing.durations import duration_in_two
from dlqconsole.retries.actions import why_revived
from dlqconsole.retries.policies import Policy
from dlqconsole.retries.policies.words import source_words
from dlqconsole.retries.why.slowed import GroupSlowdown

OFF = "The schedule is switched off (DLQ_RETRY_ENABLED): only a person can retry or revive it."

COUNTED = {
    "DUE": "due now: a run takes them, as many as it has time for ({time})",
    "WAITS": "waiting: their time has not come yet",
    "USED_UP": "have used their tries: the next run marks them EXHAUSTED",
    "CAME_BACK": "came back so often (DLQ_COME_BACKS) that no machine tries them again: a person decides",
    "NO_HANDLER": "have no handler{types}: left until DLQ_HANDLERS has one or a policy revives them",
    "OFF": "left to a person: the schedule is switched off (DLQ_RETRY_ENABLED)",
    "BUSINESS": "BUSINESS failures: a person decides, no machine retries them",
    "PERMANENT": "PERMANENT failures: the same event would fail again until somebody changes something",
    "RETRYING": "being retried just now",
    "LEASE": "claimed by workers that have stopped: the next tick takes them back",
    "EXHAUSTED": "exhausted: all tries used, a person decides",
    "QUARANTINED": "quarantined: no machine touches them by itself; a person may",
    "REVIVED": "revived: their messages are on their queues, here or over there",
    "DISCARDED": "discarded by a person",
}


def count_words(code: str, types: str = "") -> str:
    """The words for all dead letters with a reason, or category, that names nothing else."""
    if code not in COUNTED:
        return f"{code} failures: a person decides, no machine retries them"
    return COUNTED[code].format(types=types, time=duration_in_two(settings.DLQ_RETRY_TIME_BUDGET))


def slowdown_words(slowdown: GroupSlowdown) -> str:
    """``slowed to 60 a minute, because 34 % of 210 came back``: that is for who sees all of the group."""
    is_seen = is_pace_seen(slowdown.key.event_type, slowdown.key.group_id)
    return f"slowed to {rate_words(slowdown.rate)}" + (f", because {slowdown.why}" if is_seen else "")


def revive_words(policy: Policy) -> str:
    """The words for those that a run revives, with the reason."""
    return f"due now: a run revives them, because {why_revived(policy)}"


def rate_limit_words(policy: Policy) -> str:
    """A policy's rate in words, with the number in a run."""
    source = source_words(policy.sources["rate"])
    return f"limited to {rate_words(policy.rate or 0)} by {source}, {takes(policy):,} in a run"


def takes(policy: Policy) -> int:
    """The most that a run takes under a policy with a rate."""
    return max(int((policy.rate or 0) * settings.DLQ_RETRY_TIME_BUDGET), 1)


def last(seconds: float) -> str:
    """``some 17 min``"""
    return f"some {duration_in_two(max(seconds, 1))}"
