"""The next actions for a person, worst first: each with a sentence and its page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.core.flow.keys import FLOOD
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.breakers import State, why
from dlqconsole.engine.queues.warnings import NOBODY_CONSUMES
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.operations.models import Operation, Status
from dlqconsole.people.names import named
from dlqconsole.processing.categories import RETRIED_BY_MACHINE
from dlqconsole.processing.texts import visible
from dlqconsole.transports.unwatched import Unwatched

_LONGEST = 140
_GROUPS = 2

type Action = dict[str, str]


def next_actions(
    counts: Mapping[str, int],
    burning: Iterable[Mapping[str, Any]],
    operations: Iterable[Operation],
    runs: Iterable[Mapping[str, Any]],
    queues: Iterable[Mapping[str, Any]] = (),
    coming: int = 0,
    of_features: Iterable[Action] = (),
    open_breakers: Iterable[State] = (),
    schedulers: str = "",
    nobody: str = "",
    unwatched: Sequence[Unwatched] = (),
) -> list[Action]:
    """``text``, ``url`` and ``tone`` (danger, warning, info) of each.

    ``coming``: so many failed repeatedly after revivals. ``of_features``: actions of features.
    ``open_breakers``: breakers that are not closed. ``schedulers``: the warning that more than one is
    alive. ``nobody``: the warning that nobody works on operations. ``unwatched``: dead-letter
    queues of other systems.
    """
    return [
        *([_action(nobody, reverse("dlq:operations"), "danger")] if nobody else ()),
        *_failed_runs(runs),
        *_waiting_runs(runs),
        *_breakers(open_breakers),
        *_messages_without_handler(queues),
        *_standing_still(queues),
        *_over_age_limit(queues),
        *_unwatched(unwatched),
        *([_action(schedulers, reverse("dlq:schedules"), "warning")] if schedulers else ()),
        *_waiting_operations(operations),
        *of_features,
        *_left_to_people(counts),
        *_coming_back(coming),
        *_groups(burning),
        *_due(counts),
    ]


def _failed_runs(runs: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The newest run of each kind, if it failed; a later success makes an older failure good."""
    newest: dict[str, Mapping[str, Any]] = {}
    for run in runs:
        newest.setdefault(run["kind"], run)
    failures = [run for run in newest.values() if run["status"] in ("failed", "silent")]
    return [_action(_run_sentence(run), reverse("dlq:run", args=[run["id"]]), "danger") for run in failures]


def _waiting_runs(runs: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The runs that wait for a worker; only once, because one worker begins them all."""
    waiting = [run for run in runs if run.get("start_worker")]
    return [
        _action(
            _("Start a worker, {kind} {id} of the pipeline waits for one: {start_worker}").format(
                kind=run["kind"], id=run["id"], start_worker=run["start_worker"]
            ),
            reverse("dlq:run", args=[run["id"]]),
            "warning",
        )
        for run in waiting[-1:]
    ]


def _run_sentence(run: Mapping[str, Any]) -> str:
    outcome = _("failed") if run["status"] == "failed" else _("went silent")
    # nothing is lost: the next run recognises committed work, and goes on behind it
    return _("Start the pipeline's {kind} again, it {outcome}: {message}").format(
        kind=run["kind"], outcome=outcome, message=_short(run["message"])
    )


def _breakers(open_breakers: Iterable[State]) -> list[Action]:
    """The handlers, and programs of others, that wait because something that they need does not answer."""
    return [
        _action(
            _who_waits(state).format(
                name=_short(visible(state.name)), why=_short(visible(named(why(state))))
            ),
            reverse("dlq:schedules"),
            "danger" if state.blocks and not state.only_again else "warning",
        )
        for state in open_breakers
    ]


def _who_waits(state: State) -> str:
    if not state.blocks:
        return _("Held closed: {name}: {why}")
    if state.key.startswith(FLOOD):
        return _("Programs wait for {name}: {why}")
    return _("Handlers wait for {name}: {why}")


def _standing_still(queues: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The queues with waiting messages that a person paused, or that nobody consumes."""
    return [
        _action(f"{_short(visible(queue['name']))} {why}", queue["url"], "warning")
        for queue in queues
        if queue["length"] and (why := _why_still(queue))
    ]


def _over_age_limit(queues: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The queues whose oldest message waits longer than somebody said that it may."""
    return [
        _action(
            _("{name}: its oldest message has been due for {age}, over the limit of {limit}.").format(
                name=_short(visible(queue["name"])), age=queue["oldest_age"], limit=queue["age_limit"]
            ),
            queue["url"],
            "warning",
        )
        for queue in queues
        if queue["age_limit"] and queue["is_late"]
    ]


def _unwatched(unwatched: Sequence[Unwatched]) -> list[Action]:
    """One line for the dead-letter queues that nobody watches, and one for failures that are lost."""
    url, actions = reverse("dlq:queues") + "#unwatched", []
    if lost := [each for each in unwatched if not each.name]:
        text = _("See what becomes of failures on {queue}: they are lost.").format(
            queue=_short(visible(lost[0].sources[0]))
        )
        actions.append(_action(text, url, "warning"))
    if number := len(unwatched) - len(lost):
        which = (
            _("1 dead-letter queue")
            if number == 1
            else _("{number:,} dead-letter queues").format(number=number)
        )
        messages = sum(each.messages or 0 for each in unwatched)
        stand = _(": {messages:,} dead letters stand there.").format(messages=messages) if messages else "."
        tone = "warning" if messages else "info"
        actions.append(
            _action(
                _("Attach {which} that nobody watches{stand}").format(which=which, stand=stand), url, tone
            )
        )
    return actions


def _why_still(queue: Mapping[str, Any]) -> str:
    if queue["paused"]:
        waits = (
            _("1 message waits")
            if queue["length"] == 1
            else _("{length} messages wait").format(length=queue["length"])
        )
        return _("is paused, and {waits}: resume it when you can.").format(waits=waits)
    return next(
        (
            _("waits. {text}").format(text=text)
            for text in queue["warnings"]
            if text.startswith(str(NOBODY_CONSUMES))
        ),
        "",
    )


def _messages_without_handler(queues: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The messages on queues that wait for a consumer with their handler."""
    return [
        _action(f"{_short(visible(queue['name']))}: {visible(sentence)}", queue["url"], "warning")
        for queue in queues
        if not all(row["handled"] for row in queue["unhandled"])
        for sentence in queue["no_handler"][:1]
    ]


def _waiting_operations(operations: Iterable[Operation]) -> list[Action]:
    """The operations that go on only after a person's decision, and those that cannot go on by themselves."""
    return [
        _action(sentence, reverse("dlq:operation", args=[operation.pk]), tone)
        for operation in operations
        for sentence, tone in _waits(operation)
    ]


def _waits(operation: Operation) -> list[tuple[str, str]]:
    which = _("operation {pk} ({kind})").format(pk=operation.pk, kind=operation.kind)
    if operation.status == Status.AWAITING:
        return [
            (
                _("Approve or refuse {which} of {selected:,}, asked by {actor}: {reason}").format(
                    which=which,
                    selected=operation.selected,
                    actor=named(operation.actor),
                    reason=_short(operation.reason),
                ),
                "warning",
            )
        ]
    if operation.status == Status.HALTED:
        return [
            (
                _("Look at {which}: {note}").format(which=which, note=_short(stored_text(operation.note))),
                "danger",
            )
        ]
    if operation.status == Status.PAUSED:
        return [
            (
                _("Resume or cancel {which}: it is paused, {remaining:,} remain.").format(
                    which=which, remaining=operation.remaining
                ),
                "info",
            )
        ]
    return (
        [
            (
                _("Look at {which}, it waits: {note}").format(
                    which=which, note=_short(stored_text(operation.note))
                ),
                "warning",
            )
        ]
        if operation.note
        else []
    )


def _left_to_people(counts: Mapping[str, int]) -> list[Action]:
    """The dead letters that no machine retries."""
    actions = []
    if number_quarantined := counts[DeadLetterStatus.QUARANTINED]:
        text = _(
            "Inspect {number_quarantined:,} quarantined: each stopped its worker or cannot be read."
        ).format(number_quarantined=number_quarantined)
        actions.append(_action(text, list_url("status=QUARANTINED"), "danger"))
    if number_exhausted := counts[DeadLetterStatus.EXHAUSTED]:
        text = _("Revive or discard {number_exhausted:,} exhausted: their retries are used up.").format(
            number_exhausted=number_exhausted
        )
        actions.append(_action(text, list_url("status=EXHAUSTED"), "warning"))
    return actions


def _coming_back(coming: int) -> list[Action]:
    if not coming:
        return []
    times = retry_limits.most_come_backs()
    text = _(
        "Look at {coming:,} that failed again {times:,} times or more: automatic retries stopped."
    ).format(coming=coming, times=times)
    return [_action(text, list_url(f"came_back={times}"), "warning")]


def _groups(burning: Iterable[Mapping[str, Any]]) -> list[Action]:
    """The most urgent groups, of those that no schedule heals."""
    waiting = [group for group in burning if group["pending"]]
    for_people = [group for group in waiting if group["error_category"] not in RETRIED_BY_MACHINE]
    return [
        _action(
            _("Fix and revive, or discard, {pending:,}: {title}").format(
                pending=group["pending"], title=_short(visible(group["title"]))
            ),
            list_url(urlencode({"group": group["id"], "status": "PENDING"})),
            "warning",
        )
        for group in for_people[:_GROUPS]
    ]


def _due(counts: Mapping[str, int]) -> list[Action]:
    if not (pending := counts[DeadLetterStatus.PENDING]):
        return []
    return [
        _action(
            _("{pending:,} pending in all: see which the schedule retries.").format(pending=pending),
            reverse("dlq:schedules"),
            "info",
        )
    ]


def _action(text: str, url: str, tone: str) -> Action:
    return {"text": text, "url": url, "tone": tone}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
