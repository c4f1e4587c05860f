"""The messages that a consumer leaves when it runs until its queues are empty, and the reasons."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.breakers import describe
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.transports import queue_overview
from dlqconsole.transports.registry import full_name

STATES = ("visible", "in_flight", "scheduled", "waiting", "held")


def leftover_sentences(names: Sequence[str], counts: Counter[ClaimResult]) -> list[str]:
    """Return a sentence for each queue with messages that is paused, stopped by a breaker, or unhandled."""
    nothing_handled = not counts.keys() - {ClaimResult.PUT_BACK}
    rows = [queue_overview.standing(name) for name in dict.fromkeys(map(full_name, names))]
    return [sentence for row in rows if row["length"] and (sentence := _why(row, nothing_handled))]


def idle_words(names: Sequence[str]) -> str:
    """Return the sentence for a run that handled nothing although nothing is wrong."""
    standing: Counter[str] = Counter()
    for name in dict.fromkeys(map(full_name, names)):
        row = queue_overview.standing(name)
        standing.update({state: row.get(state) or 0 for state in STATES})
    rest = ", ".join(f"{standing[state]:,} {state.replace('_', ' ')}" for state in STATES if standing[state])
    return f"nothing is due: {rest}" if rest else "nothing to do"


def _why(row: dict[str, Any], nothing_handled: bool) -> str:
    name, number = row["name"], _messages_wait(row["length"], row["capped"])
    if row["paused"]:
        return f"{name} is paused: {number}. manage.py queues resume lets them go on."
    if row["left_alone"] and not row["breaker"].only_again:
        return f"{name} is left alone: {number}. {_sentence(describe(row['breaker']))}"
    sentences = queue_warnings.handler_warnings(row["unhandled"]) if nothing_handled else []
    return f"Nothing of {name} could be handled. {' '.join(sentences)}" if sentences else ""


def _messages_wait(number: int, is_least: bool) -> str:
    return "1 message waits" if number == 1 else f"{number:,}{'+' if is_least else ''} messages wait"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
