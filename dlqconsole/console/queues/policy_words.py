"""A queue's policy in words for people."""

from collections.abc import Mapping, Sequence
from typing import Any

_WAKES = {"throttled": "when one waits", "statement": "with every statement", "off": "never: they poll"}


def describe(policy: Mapping[str, Any], patterns: Sequence[str] = ()) -> list[tuple[str, str]]:
    """A label and its words, for each part of the policy, and the topics if there are some."""
    topics = [("Topics", ", ".join(patterns))] if patterns else []
    return [*(_describe_elsewhere if "max_deliveries" in policy else _describe)(policy), *topics]


def _describe(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    limit = policy["rate_limit"]
    return [
        ("Retries", f"{policy['max_retries']:,} on the queue, then a dead letter"),
        ("Lease", f"{policy['lease_seconds']:,} s"),
        ("Backoff", _backoff(policy)),
        ("Completed", _retention(policy)),
        ("Wakes consumers", _WAKES.get(policy["notify"], str(policy["notify"]))),
        ("Groups", _groups(policy)),
        ("Rate limit", f"{limit:,g} claims a second" if limit else "none"),
        ("Durability", "unlogged: lost in a crash of the database" if policy["unlogged"] else "logged"),
    ]


def _describe_elsewhere(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The known parts of the policy of another system's queue: see ``standing``."""
    return [
        ("Deliveries", f"{policy['max_deliveries']:,}, then a dead letter"),
        ("Lease", f"{policy['lease_seconds']:,} s, for consumers of ours"),
    ]


def _backoff(policy: Mapping[str, Any]) -> str:
    base, factor = policy["backoff_base_seconds"], policy["backoff_factor"]
    grows = (
        f"{base:,g} s at first, then {factor:g} times the last" if factor > 1 else f"{base:,g} s each time"
    )
    jitter = f"; jitter {policy['backoff_jitter']:.0%}" if policy["backoff_jitter"] else "; no jitter"
    return f"{grows}, at most {policy['backoff_cap_seconds']:,g} s{jitter}"


def _groups(policy: Mapping[str, Any]) -> str:
    if not policy["fifo_groups"]:
        return "only a label"
    holds = "; behind a dead letter its group waits" if policy["on_dead_letter"] == "hold" else ""
    return f"one message at a time, in order{holds}"


def _retention(policy: Mapping[str, Any]) -> str:
    return f"archived for {policy['archive_days']:,} days" if policy["retention"] == "archive" else "deleted"
