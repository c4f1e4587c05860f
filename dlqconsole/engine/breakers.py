"""Breakers for people: states, names, and holding one open or closed. The rule is ``core.flow.breakers``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow import keys
from dlqconsole.core.flow.keys import DEPENDENCY, FLOOD, TYPE, words
from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.database.memoized import memoized
from dlqconsole.engine.gate import shown
from dlqconsole.engine.models.flow import CLOSED, OPEN
from dlqconsole.engine.moments import moment
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import translated
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.sentences import stored

LONGEST_KEY = 300

LONGEST_HOLD = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class State:
    """One breaker. ``state``: closed, open or half-open; ``held``: open or closed, as a person said, until
    ``held_until``. ``only_again``: what was never tried goes on. ``reason`` is an error as it came.
    ``event_types``: those that it stops, as far as this process or the breaker has heard of them.
    ``told_by``: the role of the database that told the reason. ``waits``: so many pieces of work a flood gate
    told to wait since it opened.
    """

    key: str
    state: str
    since: datetime
    reason: str
    only_again: bool
    failures: int
    probes: int
    next_probe_seconds: float | None
    held: str | None
    held_until: datetime | None
    held_by: str
    held_reason: str
    event_types: tuple[str, ...]
    told_by: str = ""
    waits: int = 0

    @property
    def name(self) -> str:
        """The breaker's name as people say it."""
        return translated(words(self.key))

    @property
    def effective(self) -> str:
        """The state that counts: a person's, or else the breaker's own."""
        return self.held or self.state

    @property
    def blocks(self) -> bool:
        """Tell whether handlers do not run, but for probes."""
        return self.effective != CLOSED


def describe(state: State) -> str:
    """Return what blocks, why, and until when, in a sentence or two."""
    if state.held:
        return _hold_words(state, state.name)
    words = _(stored("{name_sentence} failed {number:,} times, {why_sentence}"))
    return words.format(name_sentence=state.name, number=state.failures, why_sentence=_reason(state))


def why(state: State) -> str:
    """Return the same sentence, to stand beside the breaker's name."""
    if state.held:
        return _hold_words(state, _("it"))
    number = ngettext("{number:,} failure", "{number:,} failures", state.failures).format(
        number=state.failures
    )
    return f"{number}, {_reason(state)}"


def _hold_words(state: State, what: str) -> str:
    words = _(stored("{who:s} holds {what_sentence} {state_sentence} until {until}."))
    if state.held_reason:
        words = _(stored("{who:s} holds {what_sentence} {state_sentence} until {until}, because {why}."))
    until = moment(state.held_until) if state.held_until else "?"
    position = _(stored("open")) if state.held == OPEN else _(stored("closed"))
    why = _quote(state.held_reason)
    return words.format(who=state.held_by, what_sentence=what, state_sentence=position, until=until, why=why)


def _reason(state: State) -> str:
    soon = max(0, round(state.next_probe_seconds or 0))
    words = _(stored("{reason}. One run tries again now."))
    if soon:
        words = _(stored("{reason}. One run tries again in {seconds:,} s."))
    waits = ngettext(
        " {number:,} piece of work waits meanwhile.",
        " {number:,} pieces of work wait meanwhile.",
        state.waits,
    ).format(number=state.waits)
    sentence = words.format(reason=_quote(state.reason[:200]), seconds=soon)
    return sentence + waits if state.waits else sentence


def _quote(text: str) -> str:
    """Mask a text. ``user:3`` in it names no actor here, and must not become a person's name."""
    return re.sub(r"\buser:(?=[0-9])", "user ", shown(text))


def stops_seen(event_types: Iterable[str]) -> bool:
    """Tell whether a breaker stops an event type within the scope; else it is hidden from that person."""
    access = current_access()
    return not access.is_limited or any(access.sees(ALL, kind) for kind in event_types)


def states(*, quiet: bool = False) -> list[State]:
    """Return each breaker that is open or that a person holds; ``quiet``: also those near to opening."""
    return [state for state in map(_state, _not_closed()) if quiet or state.blocks or state.held]


@memoized
def _not_closed() -> list[dict[str, Any]]:
    return fetch_dicts(core_sql("breakers.look"), {})


def state_of(key: str) -> State | None:
    """Return one breaker; None: it is closed, and nobody holds it."""
    return next((state for state in states() if state.key == key), None)


def _state(row: dict[str, Any]) -> State:
    row = {name: value for name, value in row.items() if name not in ("score", "again_score")}
    heard_of = {*row.pop("event_types"), *types_of(row["key"])}
    return State(**row, event_types=tuple(sorted(heard_of)))


def types_of(key: str) -> tuple[str, ...]:
    """Return the event types that a breaker stops, as far as this process has handlers."""
    try:
        return keys.types_of(registry(), key)
    except SetupError:
        return (key.removeprefix(TYPE),) if key.startswith(TYPE) else ()


def check_key(key: str) -> str:
    """Return the key. Raises InvalidBreaker for a text that is none."""
    kind, _colon, name = key.partition(":")
    if f"{kind}:" not in (TYPE, DEPENDENCY, FLOOD) or not name or len(key) > LONGEST_KEY or "\x00" in key:
        raise InvalidBreaker(
            _(
                "A breaker is named type:<event type>, dependency:<name> or flood:<event type>, not {key!r}."
            ).format(key=key[:LONGEST_KEY])
        )
    return key


def hold(key: str, open_or_closed: str, until: datetime, actor: str, reason: str) -> None:
    """Keep a breaker open (its handlers do not run) or closed (they run, whatever happens) until then.

    Raises InvalidBreaker.
    """
    check_key(key)
    if open_or_closed not in (OPEN, CLOSED):
        raise InvalidBreaker(f"A breaker is held open or closed, not {open_or_closed!r}.")
    if not timedelta() < until - datetime.now(UTC) <= LONGEST_HOLD:
        raise InvalidBreaker(
            _("A breaker is held for 31 days at most, and until a moment that has not passed.")
        )
    values = {"key": key, "held": open_or_closed, "until": until, "by": actor, "reason": reason}
    with transaction.atomic():
        execute(sql("breakers.hold"), values)
        detail = {"until": until.isoformat(timespec="seconds")}
        audit.record(actor, f"hold {open_or_closed}", f"breaker:{key}", reason=reason, detail=detail)


def resume(key: str, actor: str, reason: str = "") -> bool:
    """Close it, and hold it no more: handlers run again within a second. False: nothing stopped them."""
    check_key(key)
    with transaction.atomic():
        before = fetch_dicts(sql("breakers.resume"), {"key": key})
        if before:
            audit.record(actor, "resume", f"breaker:{key}", reason=reason, detail=before[0])
    return bool(before)
