"""The part of a group's page about values that its dead letters have in common."""

from typing import Any

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.contrib.insight.common import Ground
from dlqconsole.contrib.insight.showing import TraitWords
from dlqconsole.contrib.insight.statistics.common_ground import FEWEST_FAILURES, FEWEST_SUCCESSES

type Row = dict[str, Any]


def common_context(group_id: int, ground: Ground) -> Row:
    """The compared payloads, and the findings as rows."""
    return {
        "ground": ground,
        "why_none": _why_none(ground),
        "findings": [_row(group_id, finding) for finding in ground.found],
    }


def _row(group_id: int, finding: TraitWords) -> Row:
    url = list_url(f"group={group_id}&{finding.filter}") if finding.filter else ""
    return {
        "path": finding.path,
        "says": finding.says,
        "url": url,
        "failures": finding.failures,
        "share": _percent(finding.share),
        "usual": _percent(finding.usual_share) if finding.successes else "none",
        "lift": _times(finding),
    }


def _percent(share: float) -> str:
    """33 %, and a small share not as 0 %."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %"


def _times(finding: TraitWords) -> str:
    """Its frequency as a multiple; ``>`` if no success has it, which is all that the samples can tell."""
    words = f"{finding.lift:.1f}" if finding.lift < 10 else f"{finding.lift:,.0f}"
    return words if finding.successes else f"> {words}"


def _why_none(ground: Ground) -> str:
    """The reason why there are no findings; empty if there are some."""
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
