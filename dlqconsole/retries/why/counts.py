"""Count the unfinished dead letters by the reason why the schedule does not retry them now."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.retries import policy_preview
from dlqconsole.retries.actions import Healers
from dlqconsole.retries.sql import sql
from dlqconsole.retries.why import words
from dlqconsole.retries.why.obstacles import Obstacles

# the number of event types that one reason names
_SHOWN_TYPES = 5
# reasons that name a policy, a person, a breaker or a pace
_NAMED = ("PAUSED", "POLICY", "WINDOW", "BREAKER", "PACE", "RATE")
_ORDER = ("DUE", "REVIVE", "WAITS", *_NAMED, *tuple(words.COUNTED)[2:])


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The number of dead letters with one reason. ``earliest``: when the first becomes due."""

    code: str
    why: str
    count: int
    earliest: datetime | None


def why_not_counts() -> list[WhyNot]:
    """Count the unfinished dead letters within the scope, by the reason why they are not retried now."""
    access = current_access()
    obstacles, healers = Obstacles.now(), Healers.now()
    waiting = policy_preview.cells(obstacles.groups, healers.queues)
    cells = [obstacles.cell(cell, healers) for cell in waiting]
    values = {
        "cells": json.dumps(cells),
        "groups": list(obstacles.groups),
        "queues": healers.queues,
        **access.values(),
        **retry_limits.come_back_values(),
    }
    letters = access.letters("e")
    of_group = sql("runs.of_group") if obstacles.groups else "true"
    of_queue = sql("runs.of_queue") if healers.queues else "true"
    query = sql("runs.why_not").format(
        letters=letters,
        counted=access.columns("t.queue", "t.event_type"),
        of_cell=sql("runs.of_cell").format(letters=letters, of_group=of_group, of_queue=of_queue),
    )
    rows = fetch_dicts(query, values)
    types = _unhandled_types(cell for cell in cells if cell["stopped_by"] == "NO_HANDLER")
    reasons = _merge(each for row in rows for each in _reasons_of_row(row, obstacles, types))
    places = {code: place for place, code in enumerate(_ORDER)}
    return sorted(reasons, key=lambda each: (places.get(each.code, len(places)), -each.count))


def _reasons_of_row(row: Mapping[str, Any], obstacles: Obstacles, types: str) -> list[WhyNot]:
    key, number = row["why"], row["count"]
    code, _colon, _which = key.partition(":")
    if code == "RATE":
        return _reasons_at_rate(key, number, obstacles)
    sentence = obstacles.sentences.get(key) or words.count_words(code, types)
    # only people who see all that waits learn how long it takes
    if code == "PACE" and not current_access().is_limited:
        sentence = _("{sentence}: {number} for them all").format(
            sentence=sentence, number=words.last(number / obstacles.slowdowns[key].rate)
        )
    return [WhyNot(code, sentence, number, row["earliest"] if code == "WAITS" else None)]


def _reasons_at_rate(key: str, number: int, obstacles: Obstacles) -> list[WhyNot]:
    """Split a lane with a rate: the next run takes the first, the others wait."""
    policy = obstacles.rate_policies[key]
    number_taken = min(number, words.takes(policy))
    due = obstacles.revived.get(key)
    reasons = [WhyNot("REVIVE" if due else "DUE", due or words.count_words("DUE"), number_taken, None)]
    if rest := number - number_taken:
        sentence = _("{sentence}: {rest} for them all").format(
            sentence=obstacles.sentences[key], rest=words.last(rest / (policy.rate or 1))
        )
        reasons.append(WhyNot("RATE", sentence, rest, None))
    return reasons


def _merge(reasons: Iterable[WhyNot]) -> list[WhyNot]:
    """Merge lines with the same reason."""
    by_reason: dict[tuple[str, str], WhyNot] = {}
    for each in reasons:
        sum_so_far = by_reason.get((each.code, each.why))
        by_reason[each.code, each.why] = (
            replace(each, count=each.count + sum_so_far.count) if sum_so_far else each
        )
    return list(by_reason.values())


def _unhandled_types(cells: Iterable[Mapping[str, Any]]) -> str:
    """The most frequent event types without a handler, in brackets."""
    numbers: Counter[str] = Counter()
    for cell in cells:
        numbers[cell["event_type"]] += cell["letters"]
    types = sorted(numbers, key=lambda name: (-numbers[name], name))
    names = ", ".join(types[:_SHOWN_TYPES]) + (", …" if len(types) > _SHOWN_TYPES else "")
    return f" ({names})" if names else ""
