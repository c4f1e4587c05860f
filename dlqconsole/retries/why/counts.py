"""Everything that is not finished with, by the reason why the schedule leaves it alone now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from dlqconsole.engine import known_handlers
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.retries import policy_preview
from dlqconsole.retries.sql import sql
from dlqconsole.retries.why import words
from dlqconsole.retries.why.held import Held

# so many event types are named in one reason
_SHOWN_TYPES = 5
# reasons that name a policy, a person, a breaker or a pace
_NAMED = ("PAUSED", "POLICY", "WINDOW", "BREAKER", "PACE", "RATE")
_ORDER = ("DUE", "WAITS", *_NAMED, *tuple(words.COUNTED)[2:])


@dataclass(frozen=True, slots=True)
class WhyNot:
    """So many dead letters are left alone for one reason. ``earliest``: the first that will be due."""

    code: str
    why: str
    count: int
    earliest: datetime | None


def why_not_counts(reach: Reach) -> list[WhyNot]:
    """What is seen and not finished with, by the reason why the schedule leaves it alone now."""
    known = known_handlers.for_retries()
    event_types = None if known is None else sorted(known.event_types)
    held = Held.now(reach)
    cells = [held.cell(cell) for cell in policy_preview.cells(reach, held.groups)]
    values = {
        "event_types": event_types,
        "cells": json.dumps(cells),
        "groups": list(held.groups),
        **reach.values(),
        **come_backs.values(),
    }
    letters, of_group = reach.letters("e"), sql("runs.of_group") if held.groups else "true"
    query = sql("runs.why_not").format(
        letters=letters,
        counted=reach.columns("t.queue", "t.event_type"),
        of_cell=sql("runs.of_cell").format(letters=letters, of_group=of_group),
    )
    rows = fetch_dicts(query, values)
    types = _unhandled_types(event_types, reach) if any(row["why"] == "NO_HANDLER" for row in rows) else ""
    found = _together(each for row in rows for each in _counted(row, held, types))
    places = {code: place for place, code in enumerate(_ORDER)}
    return sorted(found, key=lambda each: (places.get(each.code, len(places)), -each.count))


def _counted(row: Mapping[str, Any], held: Held, types: str) -> list[WhyNot]:
    key, number = row["why"], row["count"]
    code, _colon, _which = key.partition(":")
    if code == "RATE":
        return _limited(key, number, held)
    sentence = held.told.get(key) or words.counted(code, types)
    # how long it takes is told to who sees all that waits
    if code == "PACE" and not held.reach.is_limited:
        sentence = f"{sentence}: {words.last(number / held.paced[key].rate)} for them all"
    return [WhyNot(code, sentence, number, row["earliest"] if code == "WAITS" else None)]


def _limited(key: str, number: int, held: Held) -> list[WhyNot]:
    """The next run takes the first of them, and no more."""
    policy = held.limited[key]
    taken = min(number, words.takes(policy))
    found = [WhyNot("DUE", words.counted("DUE"), taken, None)]
    if rest := number - taken:
        sentence = f"{held.told[key]}: {words.last(rest / (policy.rate or 1))} for them all"
        found.append(WhyNot("RATE", sentence, rest, None))
    return found


def _together(found: Iterable[WhyNot]) -> list[WhyNot]:
    """One line a reason."""
    by_reason: dict[tuple[str, str], WhyNot] = {}
    for each in found:
        there = by_reason.get((each.code, each.why))
        by_reason[each.code, each.why] = replace(each, count=each.count + there.count) if there else each
    return list(by_reason.values())


def _unhandled_types(event_types: Sequence[str] | None, reach: Reach) -> str:
    """The types that most of them have, in brackets."""
    values = {"event_types": event_types, "limit": _SHOWN_TYPES + 1} | reach.values()
    query = sql("runs.unhandled_types").format(counted=reach.columns("queue", "event_type"))
    found = fetch_column(query, values)
    named = ", ".join(found[:_SHOWN_TYPES]) + (", …" if len(found) > _SHOWN_TYPES else "")
    return f" ({named})" if named else ""
