"""Handling a message in the transaction that completes it: exactly once, as far as this database goes."""

from contextlib import AbstractContextManager

from django.db import Error, transaction

from dlqconsole.consuming import settlement
from dlqconsole.consuming.settlement import Settled
from dlqconsole.engine.database.transient_errors import refused
from dlqconsole.engine.handling import Handled
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.source import Message, Source


def handle_and_complete(
    source: Source, message: Message, known_as: str | None, watch: AbstractContextManager[None]
) -> tuple[Handled, Settled | None]:
    """Run the handler and remove the message, or undo what the handler wrote: None, there is more to settle.

    For sources that commit with us. The claim was committed before, so a crash is counted and no transaction
    outlives the handler. ``watch``: the block in which the handler runs.
    """
    handled: Handled | None = None
    try:
        with transaction.atomic():
            with watch:
                handled = handle_message(message, known_as)
            succeeded = isinstance(handled.outcome, Succeeded)
            completed = succeeded and bool(source.finish([(message, handled)]))
            if not completed:
                transaction.set_rollback(True)
    except Error as error:
        if handled is None or not refused(error):
            raise
        return settlement.not_stored(handled, error), None
    if not succeeded:
        return handled, None
    return handled, Settled.COMPLETED if completed else Settled.LOST
