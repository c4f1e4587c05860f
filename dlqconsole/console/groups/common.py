"""The part of a group's page that says what its dead letters have in common."""

from typing import Any

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.insight.common import Ground
from dlqconsole.insight.showing import SharedTrait
from dlqconsole.processing.common_ground import FEWEST_FAILURES, FEWEST_SUCCESSES

type Row = dict[str, Any]


def common_context(group_id: int, ground: Ground) -> Row:
    """What was compared with what, and the findings as rows."""
    return {
        "ground": ground,
        "why_none": _why_none(ground),
        "findings": [_row(group_id, told) for told in ground.found],
    }


def _row(group_id: int, told: SharedTrait) -> Row:
    url = list_url(f"group={group_id}&{told.filter}") if told.filter else ""
    return {
        "path": told.path,
        "says": told.says,
        "url": url,
        "failures": told.failures,
        "share": _percent(told.share),
        "usual": _percent(told.usual_share) if told.successes else "none",
        "lift": _times(told),
    }


def _percent(share: float) -> str:
    """33 %, and what is little not as nothing."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %"


def _times(told: SharedTrait) -> str:
    """How many times as frequent; where no success has it, it is more than what was looked at can say."""
    words = f"{told.lift:.1f}" if told.lift < 10 else f"{told.lift:,.0f}"
    return words if told.successes else f"> {words}"


def _why_none(ground: Ground) -> str:
    """Why nothing is told; empty where something is."""
    if ground.found:
        return ""
    if ground.too_slow:
        return "Reading them took too long just now. Look again later."
    if ground.failures < FEWEST_FAILURES:
        return (
            f"{ground.failures} of them can be read, which is too few to compare: it takes {FEWEST_FAILURES}."
        )
    if ground.successes < FEWEST_SUCCESSES:
        return (
            f"Of {ground.event_type}, {ground.successes} successes are kept as samples; it takes"
            f" {FEWEST_SUCCESSES} to compare with."
        )
    return "Nothing stands out: these payloads look like those that succeed."
