"""The entry of a process of the handlers' that a Spark worker has started."""

from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.isolation import output
from dlqconsole.processing.isolation.deaths import reduce_for_sending
from dlqconsole.processing.outcomes import Outcome, attempt

from .work import RunWork


def call(argument: tuple[RunWork, Event]) -> Outcome:
    """Run the handler of one event. Raises HandlerSetupError."""
    work, event = argument
    output.called(event.type, event.id)
    return reduce_for_sending(attempt(load_handlers(work.handlers), event, work.limits), work.handler_memory)
