"""The messages that a consumer leaves when it runs until its queues are empty, and the reasons."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.breakers import describe
from dlqconsole.engine.queues import obstacles
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.processing.quantities import duration_in_two
from dlqconsole.transports import queue_overview
from dlqconsole.transports.registry import full_name

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftoverSentences:
    """Sentences for what stays: ``problems`` need somebody, ``others`` go by themselves."""

    problems: list[str]
    others: list[str]


def leftovers(names: Sequence[str], counts: Counter[ClaimResult]) -> LeftoverSentences:
    """Return a sentence for each queue and kind of messages that stay; ``counts``: what became of others."""
    nothing_handled = not counts.keys() - {ClaimResult.PUT_BACK}
    rows = [queue_overview.standing(name) for name in dict.fromkeys(map(full_name, names))]
    problems = [sentence for row in rows for sentence in _problems(row, nothing_handled)]
    others = [
        f"{row['name']}: {sentence}"
        for row in rows
        if row["length"] and not _is_stopped(row)
        for sentence in _others(row, nothing_handled)
    ]
    return LeftoverSentences(problems, others)


def _is_stopped(row: Row) -> bool:
    return row["paused"] or (row["left_alone"] and not row["breaker"].only_again)


def _problems(row: Row, nothing_handled: bool) -> Iterator[str]:
    name = row["name"]
    if row.get("problem"):
        yield f"{name}: {row['warnings'][0]}"
    if not row["length"]:
        return
    all_wait = _wait(row["length"], row["capped"])
    if row["paused"]:
        yield f"{name} is paused: {all_wait}. {PROGRAM} queues resume lets them go on."
    elif _is_stopped(row):
        yield f"{name} is left alone: {all_wait}. {_sentence(describe(row['breaker']))}"
    else:
        if nothing_handled and (sentences := queue_warnings.handler_warnings(row["unhandled"])):
            yield f"Nothing of {name} could be handled. {' '.join(sentences)}"
        if behind := row.get("behind_dead_letters"):
            yield f"{name}: {obstacles.behind_words(behind)}"


def _others(row: Row, nothing_handled: bool) -> Iterator[str]:
    if not nothing_handled:
        yield from queue_warnings.handler_warnings(row["unhandled"])
    if row["left_alone"]:
        yield f"Events that failed before are left alone. {_sentence(describe(row['breaker']))}"
    if number := row["visible"]:
        limit = row["policy"].get("rate_limit")
        why = f": the queue allows {limit:,g} claims a second" if limit else ", and can be claimed now"
        yield f"{_wait(number, 'visible' in row['at_least'])}{why}."
    if number := row["in_flight"]:
        yield f"{_messages(number, 'in_flight' in row['at_least'])} in other consumers' hands."
    # what waits for a handler is scheduled, and what waits for a dead letter waits: both have been told
    if (number := row["scheduled"] - sum(kind["messages"] for kind in row["unhandled"])) > 0:
        seconds = row["first_seconds"]
        first = "" if seconds is None else f", the first in {duration_in_two(max(seconds, 0))}"
        yield f"{_messages(number, 'scheduled' in row['at_least'])} for later{first}."
    if (number := row["waiting"] - ((row.get("behind_dead_letters") or {}).get("messages", 0))) > 0:
        groups = "its group" if number == 1 else "their groups"
        yield f"{_wait(number, 'waiting' in row['at_least'])} behind others of {groups}."
    if number := row["held"]:
        yield f"{_messages(number, 'held' in row['at_least'])} held back, while the revival can be undone."


def _messages(number: int, is_least: bool) -> str:
    return f"{_number(number, is_least)} {'is' if number == 1 else 'are'}"


def _wait(number: int, is_least: bool) -> str:
    return f"{_number(number, is_least)} {'waits' if number == 1 else 'wait'}"


def _number(number: int, is_least: bool) -> str:
    return "1 message" if number == 1 else f"{number:,}{'+' if is_least else ''} messages"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
