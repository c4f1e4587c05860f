"""Policies in words."""

from datetime import datetime

from dlqconsole.core.lifecycle.failures import Backoff
from dlqconsole.engine.moments import moment
from dlqconsole.processing.inputs.times import as_wait
from dlqconsole.retries.policies.resolution import BlockReason, Policy, ValueSource

NAMES = {
    "enabled": "Retried",
    "action": "When due",
    "max_retries": "Most retries",
    "backoff": "Waits",
    "window": "Window",
    "rate": "Rate",
}

AUTOMATIC = "retry where a worker has a handler, else revive where a program consumes its queue by SQL"


def values(policy: Policy) -> dict[str, str]:
    """Each value in words."""
    return {
        "enabled": "yes" if policy.enabled else "no",
        "action": policy.action or AUTOMATIC,
        "max_retries": f"{policy.max_retries:,}",
        "backoff": waits(policy.backoff),
        "window": policy.window.words(),
        "rate": "no limit" if policy.rate is None else f"{policy.rate:,g} a second",
    }


def waits(backoff: Backoff) -> str:
    """``6h each time``, or ``1m, doubled up to 6h, full jitter``."""
    if backoff.factor == 1:
        return f"{as_wait(backoff.base)} each time"
    return f"{as_wait(backoff.base)}, doubled up to {as_wait(backoff.cap)}, full jitter"


def source_words(source: ValueSource) -> str:
    """``the policy for flight.scheduled``, or the name of a setting."""
    return source.words if source.policy is None else f"the policy for {source.words}"


def block_words(reason: BlockReason) -> str:
    """The reason why nothing of it runs now, as the rest of a sentence behind “because”."""
    match reason.code:
        case "POLICY" if reason.source.policy is None:
            return reason.source.words
        case "POLICY":
            return f"{source_words(reason.source)} has switched it off"
        case "PAUSED":
            assert reason.pause is not None  # noqa: S101  (what is paused has one)
            return f"{reason.pause.by} paused {reason.pause.words} {until(reason.until)}"
    assert reason.until is not None  # noqa: S101  (a window opens again)
    return f"its window ({source_words(reason.source)}) opens at {moment(reason.until)}"


def until(end: datetime | None) -> str:
    """The end of a pause in words."""
    return f"until {moment(end)}" if end else "until somebody resumes it"
