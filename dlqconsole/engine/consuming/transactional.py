"""Handling a message in the transaction that completes it: exactly once, as far as this database goes."""

from django.db import Error, transaction

from dlqconsole.engine import messages
from dlqconsole.engine.consuming import settlement
from dlqconsole.engine.consuming.settlement import Settled
from dlqconsole.engine.database.transient_errors import refused
from dlqconsole.engine.handling import Handled, handle
from dlqconsole.engine.lifecycle.failures import QueuePolicy
from dlqconsole.processing.outcomes import Failed


def handle_and_complete(claim: messages.Claim, policy: QueuePolicy) -> tuple[Handled, Settled | None]:
    """Run the handler and remove the message, or undo what the handler wrote and settle its failure.

    The claim was committed before, so a crash is counted and no transaction outlives the handler.
    """
    handled: Handled | None = None
    try:
        with transaction.atomic():
            handled = handle(
                claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id)
            )
            succeeded = not isinstance(handled.outcome, Failed)
            completed = succeeded and bool(messages.complete_handled([(claim, handled)]))
            if not completed:
                transaction.set_rollback(True)
    except Error as error:
        if handled is None or not refused(error):
            raise
        handled = settlement.not_stored(handled, error)
        return handled, settlement.settle(claim, handled, policy)
    if succeeded:
        return handled, Settled.COMPLETED if completed else Settled.LOST
    return handled, settlement.settle(claim, handled, policy)
