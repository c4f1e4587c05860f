"""Why the schedule leaves a dead letter alone, in a sentence: no event waits without a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.conf import settings

from dlqconsole.engine import known_handlers
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.known_handlers import Known
from dlqconsole.engine.lifecycle.states import DeadLetterStatus, MessageStatus
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.retries import policy_preview
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.held import Held
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies import Policy, words
from dlqconsole.retries.sql import sql

OFF = "The schedule is switched off (DLQ_RETRY_ENABLED): only a person can retry or revive it."

# so many event types are named in one reason
_SHOWN_TYPES = 5

_COUNTED = {
    "DUE": "due now: handled by the next run",
    "WAITS": "waiting: their time has not come yet",
    "USED_UP": "have used their tries: the next run marks them EXHAUSTED",
    "CAME_BACK": "came back so often (DLQ_COME_BACKS) that no machine tries them again: a person decides",
    "NO_HANDLER": "have no handler{types}: left as they are until a worker's DLQ_HANDLERS has one",
    "BUSINESS": "BUSINESS failures: a person decides, no machine retries them",
    "PERMANENT": "PERMANENT failures: the same event would fail again until somebody changes something",
    "RETRYING": "being retried just now",
    "EXHAUSTED": "exhausted: all tries used, a person decides",
    "QUARANTINED": "quarantined: no machine touches them by itself; a person may",
    "REVIVED": "revived: their messages are on their queues",
    "DISCARDED": "discarded by a person",
}
# reasons that name a policy, a person or a breaker
_NAMED = ("PAUSED", "POLICY", "WINDOW", "BREAKER")
_ORDER = ("DUE", "WAITS", *_NAMED, *tuple(_COUNTED)[2:])


@dataclass(frozen=True, slots=True)
class WhyNot:
    """So many dead letters are left alone for one reason. ``earliest``: the first that will be due."""

    code: str
    why: str
    count: int
    earliest: datetime | None


class Waiting(Protocol):
    """What is asked of a dead letter, or of its line in a list."""

    event_type: str
    error_category: str
    group_id: Any
    retry_count: int
    max_retries: int | None
    retry_after: datetime


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides at one moment. ``known``: None where nobody can say who handles what."""

    held: Held
    known: Known | None
    run_at: datetime | None
    now: datetime

    @classmethod
    def look(cls, reach: Reach) -> Circumstances:
        """As they are now, for whoever sees so much."""
        # in this order: a run that may begin now may begin before a later now
        return cls(Held.now(reach), known_handlers.for_retries(), next_run_at(), database_now())

    def has_handler(self, event_type: str) -> bool:
        """Whether a worker that runs now can retry such events; also where nobody can say."""
        return self.known is None or event_type in self.known.event_types

    def allowed(self, letter: Waiting) -> int:
        """How many tries it has in all."""
        if letter.max_retries is not None:
            return letter.max_retries
        return self.held.policies.of(letter.event_type, letter.error_category, letter.group_id).max_retries


def why_not_counts(reach: Reach) -> list[WhyNot]:
    """What is seen and not finished with, by the reason why the schedule leaves it alone now."""
    known = known_handlers.for_retries()
    event_types = None if known is None else sorted(known.event_types)
    held = Held.now(reach)
    cells = [held.cell(cell) for cell in policy_preview.cells(reach, held.policies.groups)]
    values = {
        "event_types": event_types,
        "cells": json.dumps(cells),
        "groups": list(held.policies.groups),
        **reach.values(),
        **come_backs.values(),
    }
    rows = fetch_dicts(sql("runs.why_not").format(letters=reach.letters("e")), values)
    types = _unhandled_types(event_types, reach) if any(row["why"] == "NO_HANDLER" for row in rows) else ""
    found = [_counted(row, held, types) for row in rows]
    return sorted(found, key=lambda each: (_ORDER.index(each.code), -each.count))


def _counted(row: Mapping[str, Any], held: Held, types: str) -> WhyNot:
    code, _colon, _which = row["why"].partition(":")
    sentence = held.told.get(row["why"]) or _COUNTED[code].format(types=types)
    return WhyNot(code, sentence, row["count"], row["earliest"] if code == "WAITS" else None)


def _unhandled_types(event_types: Sequence[str] | None, reach: Reach) -> str:
    """The types that most of them have, in brackets."""
    values = {"event_types": event_types, "limit": _SHOWN_TYPES + 1} | reach.values()
    query = sql("runs.unhandled_types").format(counted=reach.columns("queue", "event_type"))
    found = fetch_column(query, values)
    named = ", ".join(found[:_SHOWN_TYPES]) + (", …" if len(found) > _SHOWN_TYPES else "")
    return f" ({named})" if named else ""


def why_not_retried(letter: DeadLetter, around: Circumstances) -> str:
    """One sentence about one dead letter."""
    if left_to_a_person := come_backs.sentence(letter):
        return left_to_a_person
    match letter.status:
        case DeadLetterStatus.PENDING:
            return why_pending(letter, around)
        case DeadLetterStatus.RETRYING:
            return f"Its handler runs just now, on {letter.owner or 'a worker'}."
        case DeadLetterStatus.SUCCEEDED:
            return "It has succeeded: nothing is left to do."
        case DeadLetterStatus.EXHAUSTED:
            return f"All its tries are used ({letter.retry_count:,}). A person decides: revive or discard."
        case DeadLetterStatus.REVIVED:
            return _revived(letter)
        case DeadLetterStatus.DISCARDED:
            return "A person discarded it. Restore it to have it retried."
    return (
        "It is quarantined: it stopped its worker, or cannot be read."
        " No machine touches it by itself; a person may."
    )


def why_pending(letter: Waiting, around: Circumstances) -> str:
    """The same of one that is PENDING; of many at one moment, which are asked for once."""
    held = around.held
    policy = held.policies.of(letter.event_type, letter.error_category, letter.group_id)
    if not policy.enabled:
        return _switched_off(letter, policy, around)
    if not settings.DLQ_RETRY_ENABLED:
        return OFF
    if policy.is_paused(held.policies.now):
        return f"It is paused: {held.paused(policy)}."
    if not around.has_handler(letter.event_type):
        return _no_handler(letter)
    allowed = around.allowed(letter)
    if letter.retry_count >= allowed:
        return f"It has used its {allowed:,} tries: the next run marks it EXHAUSTED."
    return _when(letter, allowed, policy, around)


def _switched_off(letter: Waiting, policy: Policy, around: Circumstances) -> str:
    source = policy.sources["enabled"]
    if source.policy is not None:
        return f"It is left to a person by {words.came_from(source)}: no machine retries it."
    decides = f"{letter.error_category} failures are not retried by machine: a person decides."
    return decides if around.has_handler(letter.event_type) else f"{decides} {_no_handler(letter)}"


def has_handler(event_type: str) -> bool:
    """Whether a worker that runs now can retry such events; also where nobody can say."""
    known = known_handlers.for_retries()
    return known is None or event_type in known.event_types


def _no_handler(letter: Waiting) -> str:
    return (
        f"No worker that runs now has a handler for {letter.event_type}: schedule and retries leave it as it"
        " is until DLQ_HANDLERS has one."
    )


def _when(letter: Waiting, allowed: int, policy: Policy, around: Circumstances) -> str:
    run_at, now = around.run_at, around.now
    opens = policy.window.next_open(max(letter.retry_after, now))
    if letter.retry_after > now:
        until = words.moment(letter.retry_after)
        waits = f"It waits until {until} for try {letter.retry_count + 1:,} of {allowed:,}"
        if opens > letter.retry_after:
            return f"{waits}, and then until its window opens at {words.moment(opens)}."
        return f"{waits}: the next run after that takes it."
    if opens > now:
        return f"It is outside its window ({policy.window.words()}), which opens at {words.moment(opens)}."
    if blocked := around.held.blocked(letter.event_type):
        return f"It is due, and waits: {blocked}."
    begins = "at the next tick" if run_at is None or run_at <= now else f"at {words.moment(run_at)}"
    return f"It is due: the next run begins {begins}."


def _revived(letter: DeadLetter) -> str:
    message = Message.objects.filter(dlq_event_id=letter.pk, revive_seq=letter.revive_count).first()
    queue = letter.queue or letter.event_type
    if message is None:
        return f"It was revived onto queue {queue}, and its message is no longer there."
    place = f"message {message.pk} on queue {message.queue}"
    if message.status == MessageStatus.PROCESSING:
        return f"It was revived: {place} is being handled by {message.owner}."
    if message.status == MessageStatus.HELD:
        return f"It was revived: {place} is held back until the undo window of its operation has passed."
    if message.unhandled_type and message.status in (MessageStatus.SCHEDULED, MessageStatus.PENDING):
        return f"It was revived: {place} waits for a consumer with a handler for {message.unhandled_type}."
    if message.status == MessageStatus.SCHEDULED:
        return f"It was revived: {place} is tried again at {words.moment(message.next_retry_at)}."
    return f"It was revived: {place} waits for a consumer."
