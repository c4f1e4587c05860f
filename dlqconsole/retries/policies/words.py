"""Policies in words."""

from datetime import datetime

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.failures import Backoff
from dlqconsole.engine.moments import moment
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs.times import as_wait
from dlqconsole.retries.policies.policy import BlockReason, Policy, ValueSource

NAMES = {
    "enabled": gettext_lazy("Retried"),
    "action": gettext_lazy("When due"),
    "max_retries": gettext_lazy("Most retries"),
    "backoff": gettext_lazy("Waits"),
    "window": gettext_lazy("Window"),
    "rate": gettext_lazy("Rate"),
}

AUTOMATIC = gettext_lazy(
    "retry where a worker has a handler, else revive where a program consumes its queue by SQL"
)


def values(policy: Policy) -> dict[str, str]:
    """Each value in words."""
    return {
        "enabled": _("yes") if policy.enabled else _("no"),
        "action": policy.action or str(AUTOMATIC),
        "max_retries": f"{policy.max_retries:,}",
        "backoff": waits(policy.backoff),
        "window": policy.window.words(),
        "rate": _("no limit") if policy.rate is None else _("{rate:,g} a second").format(rate=policy.rate),
    }


def waits(backoff: Backoff) -> str:
    """``6h each time``, or ``1m, doubled up to 6h, full jitter``."""
    if backoff.factor == 1:
        return _("{base} each time").format(base=as_wait(backoff.base))
    return _("{base}, doubled up to {cap}, full jitter").format(
        base=as_wait(backoff.base), cap=as_wait(backoff.cap)
    )


def source_words(source: ValueSource) -> str:
    """``the policy for flight.scheduled``, or the name of a setting."""
    words = translated(source.words)
    return words if source.policy is None else _("the policy for {words}").format(words=words)


def block_words(reason: BlockReason) -> str:
    """The reason why nothing of it runs now, as the rest of a sentence behind “because”."""
    match reason.code:
        case "POLICY" if reason.source.policy is None:
            return translated(reason.source.words)
        case "POLICY":
            return _("{source} has switched it off").format(source=source_words(reason.source))
        case "PAUSED":
            assert reason.pause is not None  # noqa: S101  (what is paused has one)
            return _("{by} paused {words} {until}").format(
                by=reason.pause.by, words=translated(reason.pause.words), until=until(reason.until)
            )
    assert reason.until is not None  # noqa: S101  (a window opens again)
    return _("its window ({source}) opens at {until}").format(
        source=source_words(reason.source), until=moment(reason.until)
    )


def until(end: datetime | None) -> str:
    """The end of a pause in words."""
    return _("until {end}").format(end=moment(end)) if end else _("until somebody resumes it")
