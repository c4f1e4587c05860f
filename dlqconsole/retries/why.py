"""Why the schedule leaves a dead letter alone, in a sentence: no event waits without a reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from dlqconsole.engine import known_handlers
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.lifecycle.states import DeadLetterStatus, MessageStatus
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.categories import RETRIED_BY_MACHINE
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.sql import sql
from dlqconsole.retries.turns import next_run_at

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
    values = {"max_retries": settings.DLQ_RETRY_MAX_RETRIES, "event_types": event_types} | reach.values()
    values |= come_backs.values()
    query = sql("runs.why_not").format(letters=reach.letters("dlq_events"))
    by_code = {row["why"]: row for row in fetch_dicts(query, values)}
    types = _unhandled_types(event_types, reach) if "NO_HANDLER" in by_code else ""
    return [
        WhyNot(
            code,
            why.format(types=types),
            by_code[code]["count"],
            by_code[code]["earliest"] if code == "WAITS" else None,
        )
        for code, why in _COUNTED.items()
        if code in by_code
    ]


def _unhandled_types(event_types: Sequence[str] | None, reach: Reach) -> str:
    """The types that most of them have, in brackets."""
    values = {"event_types": event_types, "limit": _SHOWN_TYPES + 1} | reach.values()
    query = sql("runs.unhandled_types").format(counted=reach.columns("queue", "event_type"))
    found = fetch_column(query, values)
    named = ", ".join(found[:_SHOWN_TYPES]) + (", …" if len(found) > _SHOWN_TYPES else "")
    return f" ({named})" if named else ""


def why_not_retried(letter: DeadLetter) -> str:
    """One sentence about one dead letter."""
    if left_to_a_person := come_backs.sentence(letter):
        return left_to_a_person
    match letter.status:
        case DeadLetterStatus.PENDING:
            return _pending(letter)
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


def _pending(letter: DeadLetter) -> str:
    if letter.error_category not in RETRIED_BY_MACHINE:
        decides = f"{letter.error_category} failures are not retried by machine: a person decides."
        return decides if has_handler(letter.event_type) else f"{decides} {_no_handler(letter)}"
    if not settings.DLQ_RETRY_ENABLED:
        return OFF
    if not has_handler(letter.event_type):
        return _no_handler(letter)
    allowed = _allowed(letter)
    if letter.retry_count >= allowed:
        return f"It has used its {allowed:,} tries: the next run marks it EXHAUSTED."
    return _when(letter)


def _allowed(letter: DeadLetter) -> int:
    return int(settings.DLQ_RETRY_MAX_RETRIES) if letter.max_retries is None else letter.max_retries


def has_handler(event_type: str) -> bool:
    """Whether a worker that runs now can retry such events; also where nobody can say."""
    known = known_handlers.for_retries()
    return known is None or event_type in known.event_types


def _no_handler(letter: DeadLetter) -> str:
    return (
        f"No worker that runs now has a handler for {letter.event_type}: schedule and retries leave it as it"
        " is until DLQ_HANDLERS has one."
    )


def _when(letter: DeadLetter) -> str:
    # in this order: a run that may begin now may begin before a later now
    run_at, now = next_run_at(), database_now()
    begins = "at the next tick" if run_at is None or run_at <= now else f"at {_moment(run_at)}"
    if letter.retry_after <= now:
        return f"It is due: the next run begins {begins}."
    until = _moment(letter.retry_after)
    tries = f"try {letter.retry_count + 1:,} of {_allowed(letter):,}"
    return f"It waits until {until} for {tries}: the next run after that takes it."


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
        return f"It was revived: {place} is tried again at {_moment(message.next_retry_at)}."
    return f"It was revived: {place} waits for a consumer."


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
