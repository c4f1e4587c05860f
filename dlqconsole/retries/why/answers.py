"""The answer about one dead letter: why it is not retried now, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.moments import moment
from dlqconsole.retries.actions import why_revived
from dlqconsole.retries.models import RetryAction
from dlqconsole.retries.policies import Policy
from dlqconsole.retries.policies.words import source_words
from dlqconsole.retries.why import words
from dlqconsole.retries.why.circumstances import Circumstances, QueuePosition, Waiting
from dlqconsole.retries.why.revived import revived_words
from dlqconsole.retries.why.words import GroupSlowdown


@dataclass(frozen=True, slots=True)
class Answer:
    """``code``: the reason, as in the counts. ``next``: the moment of the next try, or words for it."""

    code: str
    sentence: str
    next: datetime | str


def answer(letter: DeadLetter, around: Circumstances) -> Answer:
    """Answer for a dead letter in any state."""
    if left_to_a_person := come_backs.sentence(letter):
        return Answer("CAME_BACK", left_to_a_person, _("none: it failed repeatedly after revivals"))
    match letter.status:
        case DeadLetterStatus.PENDING:
            return of_pending(letter, around)
        case DeadLetterStatus.RETRYING:
            return _claim_answer(letter, around)
        case DeadLetterStatus.SUCCEEDED:
            sentence = _("It has succeeded: nothing is left to do.")
        case DeadLetterStatus.EXHAUSTED:
            sentence = _(
                "All its tries are used ({retry_count:,}). A person decides: revive or discard."
            ).format(retry_count=letter.retry_count)
        case DeadLetterStatus.REVIVED:
            sentence = revived_words(letter)
        case DeadLetterStatus.DISCARDED:
            sentence = _("A person discarded it. Restore it to have it retried.")
        case _:
            sentence = _(
                "It is quarantined: it stopped its worker, or cannot be read. No machine touches it"
                " by itself; a person may."
            )
    return Answer(letter.status, sentence, _("none"))


def of_pending(letter: Waiting, around: Circumstances) -> Answer:
    """Answer for a PENDING one that did not fail repeatedly; also for its line in a list."""
    policy, obstacles = around.policy(letter), around.obstacles
    if not policy.enabled:
        return _switched_off(letter, policy, around)
    if not settings.DLQ_RETRY_ENABLED:
        return Answer("OFF", words.OFF, _("not by the schedule"))
    if policy.is_paused(obstacles.policies.now):
        free = policy.free_at(max(letter.retry_after, around.now))
        return Answer(
            "PAUSED",
            _("It is paused: {policy}.").format(policy=obstacles.pause_words(policy)),
            free or _("none: it is paused"),
        )
    if around.action(letter) is None:
        return Answer("NO_HANDLER", _no_handler(letter), _("none: it has no handler"))
    most = around.max_tries(letter)
    if letter.retry_count >= most:
        return _no_tries_left(letter, most, around)
    if letter.retry_after > around.now:
        return _waits(letter, policy, most, around)
    return _due(letter, policy, around)


def _claim_answer(letter: DeadLetter, around: Circumstances) -> Answer:
    if letter.lease_until is not None and letter.lease_until < around.now:
        sentence = _("{owner} had claimed it and has stopped: the next tick takes it back.").format(
            owner=letter.owner or _("The worker")
        )
        return Answer("LEASE", sentence, _("when it is taken back"))
    return Answer(
        "RETRYING",
        _("Its handler runs just now, on {owner}.").format(owner=letter.owner or _("a worker")),
        _("running now"),
    )


def _switched_off(letter: Waiting, policy: Policy, around: Circumstances) -> Answer:
    source = policy.sources["enabled"]
    if source.policy is not None:
        sentence = _("It is left to a person by {source}: no machine retries it.").format(
            source=source_words(source)
        )
        return Answer("POLICY", sentence, _("not by the schedule"))
    sentence = _("{error_category} failures are not retried by machine: a person decides.").format(
        error_category=letter.error_category
    )
    if not around.has_handler(letter.event_type):
        sentence = f"{sentence} {_no_handler(letter)}"
    return Answer(letter.error_category, sentence, _("not by the schedule"))


def _no_handler(letter: Waiting) -> str:
    # no colon after the type: of "reset.password: …" masking hides what follows
    sentence = _("No schedule worker has a handler for {event_type}, so the schedule leaves it.").format(
        event_type=letter.event_type
    )
    # a queue of another system, whose own programs run it
    if letter.queue and ":" in letter.queue:
        return _("{sentence} Revive it, and {queue} gets it back; a policy may say *revive*.").format(
            sentence=sentence, queue=letter.queue
        )
    return _(
        "{sentence} It takes it once DLQ_HANDLERS has one, a program consumes its queue by"
        " SQL, or a policy says *revive*."
    ).format(sentence=sentence)


def _no_tries_left(letter: Waiting, most: int, around: Circumstances) -> Answer:
    """Answer for one without tries left: it waits like others, and a run marks it when its time has come."""
    is_due = letter.retry_after <= around.now
    run = (
        _("the next run")
        if is_due
        else _("the first run after {retry_after}").format(retry_after=moment(letter.retry_after))
    )
    sentence = _("It has used its {most:,} tries: {run} marks it EXHAUSTED.").format(most=most, run=run)
    return Answer("USED_UP" if is_due else "WAITS", sentence, _("none: all are used"))


def _waits(letter: Waiting, policy: Policy, most: int, around: Circumstances) -> Answer:
    opens, until = policy.window.next_open(letter.retry_after), letter.retry_after
    waits = _("It waits until {until} for try {retry_count:,} of {most:,}").format(
        until=moment(until), retry_count=letter.retry_count + 1, most=most
    )
    if opens > until:
        return Answer(
            "WAITS",
            _("{waits}, and then until its window opens at {opens}.").format(
                waits=waits, opens=moment(opens)
            ),
            opens,
        )
    if around.action(letter) == RetryAction.REVIVE:
        why = why_revived(policy, letter.event_type)
        return Answer(
            "WAITS",
            _("{waits}: the next run after that revives it: {why}.").format(waits=waits, why=why),
            until,
        )
    return Answer("WAITS", _("{waits}: the next run after that takes it.").format(waits=waits), until)


def _due(letter: Waiting, policy: Policy, around: Circumstances) -> Answer:
    """Answer for one whose time has come: the obstacle that still holds it."""
    opens = policy.window.next_open(around.now)
    if opens > around.now:
        shut = _("It is outside its window ({words}), which opens at {opens}.").format(
            words=policy.window.words(), opens=moment(opens)
        )
        return Answer("WINDOW", shut, opens)
    if breaker := around.obstacles.breaker_words(letter.event_type):
        return Answer(
            "BREAKER",
            _("It is due, and waits: {breaker}.").format(breaker=breaker),
            _("when its breaker closes"),
        )
    if group_pace := around.pace_of(letter):
        return _slowed(group_pace, around.place_at_pace(letter, group_pace), around)
    if policy.rate is not None and (place := around.place_at_rate(letter)).before >= words.takes(policy):
        return _held_back("RATE", words.rate_limit_words(policy), policy.rate, place, around)
    return _turn(letter, policy, around)


def _turn(letter: Waiting, policy: Policy, around: Circumstances) -> Answer:
    """Answer for one that nothing holds."""
    run_at = around.run_at
    begins = (
        _("at the next tick")
        if run_at is None or run_at <= around.now
        else _("at {run_at}").format(run_at=moment(run_at))
    )
    sentence = _("It is due: the next run begins {begins}.").format(begins=begins)
    if around.is_running:
        sentence = _("It is due: the run that goes on now takes it, if its time is enough.")
    if around.action(letter) == RetryAction.REVIVE:
        why = why_revived(policy, letter.event_type)
        return Answer(
            "REVIVE",
            _("{sentence} It is revived then: {why}.").format(sentence=sentence, why=why),
            _("due now"),
        )
    return Answer("DUE", sentence, _("due now"))


def _slowed(group_pace: GroupSlowdown, place: QueuePosition, around: Circumstances) -> Answer:
    return _held_back("PACE", words.slowdown_words(group_pace), group_pace.rate, place, around)


def _held_back(code: str, why: str, rate: float, place: QueuePosition, around: Circumstances) -> Answer:
    """Answer for one behind others at a rate; people with limited scopes do not learn how many."""
    if current_access().is_limited:
        return Answer(code, _("It is due, {why}.").format(why=why), _("when its turn comes"))
    seconds = (place.before + 1) / rate
    at = around.now + timedelta(seconds=seconds)
    return Answer(
        code,
        _("It is due, {why}: {words}, {seconds}.").format(
            why=why, words=place.words, seconds=words.last(seconds)
        ),
        at,
    )
