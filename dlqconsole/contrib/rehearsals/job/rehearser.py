"""Rehearsals of handlers, in a process whose connections to PostgreSQL only read."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from dlqconsole.contrib.rehearsals import read_only
from dlqconsole.contrib.rehearsals.predictions import (
    NOT_DECLARED,
    NOT_REHEARSED,
    WRITE,
    WRITES,
    InARow,
    RehearsalPrediction,
    is_refused_write,
    not_rehearsed,
    prediction_of,
)
from dlqconsole.contrib.rehearsals.read_only import only_read, refused_writes
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry, load_handlers
from dlqconsole.processing.isolation import HandlerProcesses, ProcessLimits, grace_of
from dlqconsole.processing.isolation.deaths import failure_of, reduce_for_sending
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded, attempt

# the outcomes of the handlers of these, in their order; None: it wanted to write
type Try = Callable[[Sequence[Event]], Iterator[Outcome | None]]
# under which type it is kept, and the event; or why there is none
type Given = tuple[str, Event | Failed]
# the failure with the category that the rules give it
type Ruled = Callable[[str, Failed], Failed]
# a record is kept nowhere
_SUCCEEDED = Succeeded(None, "")


@contextmanager
def only_reading(work: RunWork) -> Iterator[Try]:
    """Run handlers in another process, which is made anew when one ends it, and never here."""
    memory = work.handler_memory
    limits = ProcessLimits(memory, grace_of(work.handler_timeout))
    environment = {"PGOPTIONS": read_only.options(), "DLQ_HANDLERS": work.handlers}
    with HandlerProcesses(
        f"{__name__}:call", 1, limits, f"{__name__}:prepare", environment=environment
    ) as processes:

        def run(events: Sequence[Event]) -> Iterator[Outcome | None]:
            arguments = [(work.limits, memory, event) for event in events]
            for result in processes.run_all(arguments, work.handler_timeout):
                yield result.value if result.death is None else failure_of(result.death)

        yield run


class Rehearser:
    """The predictor of what would become of one event after the other."""

    def __init__(self, work: RunWork, attempt: Try, rule: Ruled = lambda _type, failure: failure) -> None:
        self._attempt, self._rule = attempt, rule
        self._in_a_row = InARow(work.breaker.failures)
        self.registry: Registry = load_handlers(work.handlers)

    def predict(self, events: Sequence[Given]) -> Iterator[RehearsalPrediction]:
        """Yield the predictions of these, in their order."""
        runs = [self._runs(*each) for each in events]
        outcomes = self._attempt(
            [
                replace(event, rehearsal=True)
                for (_, event), it_runs in zip(events, runs, strict=True)
                if it_runs and isinstance(event, Event)
            ]
        )
        for (event_type, event), it_runs in zip(events, runs, strict=True):
            outcome = next(outcomes) if it_runs else event
            yield self._predict(event_type, outcome)

    def _runs(self, event_type: str, event: Event | Failed) -> bool:
        if isinstance(event, Failed) or self._in_a_row.why_not(event_type):
            return False
        # of no handler at all the attempt itself says so
        return event.type not in self.registry or event.type in self.registry.rehearsable

    def _predict(self, event_type: str, outcome: Outcome | Event | None) -> RehearsalPrediction:
        if why := self._in_a_row.why_not(event_type):
            return not_rehearsed(NOT_REHEARSED.format(why_sentence=why))
        if isinstance(outcome, Event):
            return not_rehearsed(NOT_REHEARSED.format(why_sentence=NOT_DECLARED))
        if outcome is None:
            return RehearsalPrediction(WRITE, WRITES)
        final = self._rule(event_type, outcome) if isinstance(outcome, Failed) else outcome
        self._in_a_row.note(event_type, final)
        return prediction_of(final)


def prepare() -> None:
    """Prepare that process, once. Raises HandlerSetupError."""
    only_read()
    load_handlers(os.environ.get("DLQ_HANDLERS", ""))


def call(argument: tuple[Limits, int, Event]) -> Outcome | None:
    """Return, in that process, what the handler of this event would do; None: it wanted to write."""
    limits, memory, event = argument
    before = refused_writes()
    outcome = attempt(load_handlers(os.environ.get("DLQ_HANDLERS", "")), event, limits)
    if refused_writes() > before or is_refused_write(outcome):
        return None
    return _SUCCEEDED if isinstance(outcome, Succeeded) else reduce_for_sending(outcome, memory)
