"""Operations for `manage.py deadletters`: request one, wait for it, control it, undo it."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import uuid4

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.operations.approval_page import approval_facts
from dlqconsole.console.operations.command_options import options_of, text_of
from dlqconsole.engine.dead_letters import editing, excerpts
from dlqconsole.engine.dead_letters.editing import Conflict
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import kinds, outcomes
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import conflict_sentence
from dlqconsole.operations.models import STATUS_LABELS, Fate, Operation, Status
from dlqconsole.operations.receipts import receipt as receipts
from dlqconsole.operations.receipts.outlook import outlook
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Scope
from dlqconsole.people.command_line import Caller
from dlqconsole.people.names import named
from dlqconsole.processing.edits import EditRefused

_WAITS = {
    Status.PAUSED: f"is paused: {PROGRAM} deadletters resume {{id}} resumes it",
    Status.HALTED: (
        "is halted by its canary: look at it, then probe {id}, resume {id} --because …, or cancel {id}"
    ),
    Status.AWAITING: (
        "waits for approval of its {selected:,} items: somebody else looks at it (deadletters show"
        " --operation {id}) and runs deadletters approve {id} with their token, or opens its page; where"
        " nobody else can, add --typed-count {selected}"
    ),
}


def ask(kind: Kind, scope: Scope, because: str, arguments: Mapping[str, Any], who: Caller) -> Operation:
    """Make the operation, and return it as it stands then: a worker may have been quick.

    Raises OperationRefused, and ValueError for options that contradict each other.
    """
    options = options_of(kind, arguments)
    request = OperationRequest(kind.name, scope, because, options, typed_count=arguments["typed_count"])
    operation = service.request_operation(request, actor=who.actor, is_proven=who.is_proven)
    with _explain_interrupt(operation.pk):
        return current(operation.pk)


def forecast(kind: Kind, scope: Scope, arguments: Mapping[str, Any]) -> list[str]:
    """The confirm page's warnings: how many will be skipped without a handler, or because they failed
    repeatedly.
    """
    if not (kind.runs_handlers or kind.leaves_come_backs or kind.feeds_queues):
        return []
    counts = preview(kind.name, scope, kind.read(options_of(kind, arguments)))
    sentences = [
        f"{row.count:,} will be skipped: {row.why}."
        for row in (*counts.unproven, *counts.unhandled, *counts.coming)
    ]
    return [*map(named, counts.blockers), *sentences]


def edit_one(letter_id: int, because: str, path: str, who: Caller) -> str:
    """Replace the payload of one dead letter; return a sentence. Raises EngineError if it is refused."""
    text = text_of(path, sys.stdin)
    letter = editing.current(letter_id) if excerpts.is_seen(letter_id) else None
    if letter is None:
        raise OperationRefused(f"There is no dead letter {letter_id}.")
    try:
        version = editing.edit(
            letter_id,
            version=letter.version,
            payload_text=text,
            headers=None,
            actor=who.actor,
            reason=because,
        )
    except EditRefused as refusal:
        raise OperationRefused(translated(refusal)) from refusal
    except Conflict as conflict:
        raise OperationRefused(conflict_sentence(conflict)) from conflict
    return f"Dead letter {letter_id} has version {version.number} of its payload now."


def control(verb: str, operation_id: int, because: str, typed_count: int | None, who: Caller) -> Operation:
    """Do the verb to an operation; return the operation to look at then. Raises OperationRefused."""
    controls.require_whole(operation_id)
    if verb == "undo":
        return controls.undo(operation_id, who.actor, because, uuid4())
    if verb == "approve":
        _approve(operation_id, typed_count, who)
    elif verb == "refuse":
        controls.refuse(operation_id, who.actor)
    else:
        _switch(verb, operation_id, who.actor, because)
    return current(operation_id)


def _approve(operation_id: int, typed_count: int | None, who: Caller) -> None:
    """Approve as a person: not by a token that somebody with a shell may have made for them."""
    if who.token is None:
        raise OperationRefused(
            "An approval needs your identity. Give your personal token by --token-file or DLQ_TOKEN,"
            f" or approve operation {operation_id} on its page."
        )
    if not who.is_proven:
        raise OperationRefused(
            f"The token {who.token.prefix}… was made on the command line by {who.token.made_by}: it approves"
            " nothing. Make one in the console, signed in."
        )
    controls.approve(operation_id, who.actor, typed_count, token=who.token.pk)


def _switch(verb: str, operation_id: int, actor: str, because: str) -> None:
    switches: dict[str, Callable[[int, str], bool]] = {
        "pause": controls.pause,
        "resume": partial(controls.resume, reason=because),
        "probe": controls.probe,
        "cancel": service.cancel,
    }
    if not switches[verb](operation_id, actor):
        is_there = Operation.objects.filter(pk=operation_id).exists()
        state = (
            f"Operation {operation_id} is {_word(current(operation_id))}"
            if is_there
            else f"There is no operation {operation_id}"
        )
        raise OperationRefused(f"{state}; nothing was changed.")


def wait(operation: Operation, say: Callable[[str], None]) -> Operation:
    """Wait until its last message is handled, or until it needs a person.

    Ctrl-C ends only the waiting, and says so.
    """
    with _explain_interrupt(operation.pk):
        while operation.is_live or _is_being_handled(operation):
            time.sleep(0.5)
            operation = current(operation.pk)
            say(sentence(operation))
    return operation


@contextmanager
def _explain_interrupt(number: int) -> Iterator[None]:
    """Explain after a Ctrl-C that the operation goes on, and how to end it."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_goes_on(number)) from None


def current(operation_id: int) -> Operation:
    """The operation as it is now, with the number of its messages under way."""
    operation = Operation.objects.get(pk=operation_id)
    outcomes.set_under_way([operation])
    return operation


def _is_being_handled(operation: Operation) -> bool:
    progress = outlook(operation)
    return progress is not None and progress.goes_on


def _goes_on(number: int) -> str:
    return (
        f"Operation {number} goes on without this command. Its receipt: /operations/{number}/, or"
        f" {PROGRAM} deadletters show --operation {number}. To end it: {PROGRAM} deadletters cancel {number}"
    )


def problem(operation: Operation) -> str:
    """The reason why waiting ended before the work, in a sentence; empty if all went well."""
    if waits := _WAITS.get(Status(operation.status)):
        return f"Operation {operation.pk} {waits.format(id=operation.pk, selected=operation.selected)}."
    if operation.status == Status.CANCELLED:
        text = f"Operation {operation.pk} was cancelled, {operation.remaining:,} remain. {operation.note}"
        return text.strip()
    if progress := outlook(operation):
        return f"Operation {operation.pk} is handed over, {progress.sentence}"
    failing = kinds.shown(operation.kind).failing
    return f"{operation.failed:,} of {operation.selected:,} {failing}." if operation.failed else ""


def facts(operation_id: int) -> str:
    """The request and its items, masked, as JSON to read. Raises OperationRefused."""
    controls.require_whole(operation_id)
    return json.dumps(approval_facts(current(operation_id)), indent=2)


def receipt(operation: Operation) -> dict[str, Any]:
    """The operation as one JSON object."""
    names = ("id", "kind", "selected", "done", "skipped", "failed", "remaining", "under_way")
    numbers = {name: getattr(operation, name) for name in names}
    return numbers | {"status": operation.word, "fates": receipts.fates(operation)}


def sentence(operation: Operation) -> str:
    """The operation as one line."""
    progress = outlook(operation)
    to_come = f" {progress.sentence}" if progress else ""
    return (
        f"Operation {operation.pk} ({operation.kind}) is {_word(operation)}:"
        f" {operation.selected:,} selected, {operation.done:,} done, {operation.skipped:,} skipped,"
        f" {operation.failed:,} failed, {operation.remaining:,} remaining.{_failed_again(operation)}{to_come}"
    )


def _failed_again(operation: Operation) -> str:
    number = receipts.fates(operation).get(Fate.FAILED_AGAIN, 0)
    return f" {number:,} failed again." if number else ""


def _word(operation: Operation) -> str:
    return str(STATUS_LABELS[operation.word]).lower()
