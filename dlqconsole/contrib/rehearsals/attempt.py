"""One handler, run to see what it would do, in a process whose databases only read."""

from dataclasses import dataclass, replace
from typing import Any

from dlqconsole.contrib.rehearsals import read_only
from dlqconsole.contrib.rehearsals.predictions import NOT_DECLARED, NOT_REHEARSED, WRITES, is_refused_write
from dlqconsole.contrib.rehearsals.read_only import refused_writes
from dlqconsole.core import handling
from dlqconsole.core.handling import Unhandled
from dlqconsole.core.settings import limits
from dlqconsole.engine import handler_child
from dlqconsole.processing.events import Event
from dlqconsole.processing.outcomes import Outcome, attempt


@dataclass(frozen=True, slots=True)
class NotRehearsed(Unhandled):
    """An outcome: the handler cannot be rehearsed, or its run tells nothing. ``why`` in words."""

    why: str = NOT_DECLARED

    @property
    def reason(self) -> str:
        return NOT_REHEARSED.format(why_sentence=self.why)


@dataclass(frozen=True, slots=True)
class Writes(NotRehearsed):
    """An outcome: the rehearsed handler tried to write, which was refused, so its result says nothing."""

    @property
    def reason(self) -> str:
        return WRITES


def rehearse_event(event: Event) -> Outcome | Unhandled:
    """Run a handler only if it declares that it can be rehearsed. A refused write makes it Writes."""
    handlers = handling.registry()
    if event.type not in handlers:
        return Unhandled(event.type)
    if event.type not in handlers.rehearsable:
        return NotRehearsed(event.type)
    before = refused_writes()
    outcome = attempt(handlers, replace(event, rehearsal=True), limits())
    wrote = refused_writes() > before or is_refused_write(outcome)
    return Writes(event.type) if wrote else outcome


def prepare() -> None:
    """Load the handlers; each connection refuses writes by itself. Raises HandlerSetupError."""
    read_only.only_read()
    handler_child.prepare()


def call(packet: tuple[Any, ...]) -> tuple[Any, ...]:
    """Rehearse one event, as ``handler_child.call`` handles one."""
    return handler_child.answer(packet, rehearse_event)
