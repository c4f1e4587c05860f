"""Handling a message in the transaction that completes it: exactly once, as far as this database goes."""

from contextlib import AbstractContextManager

from django.db import Error

from dlqconsole.consuming import settlement
from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.transient_errors import is_refused
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.errors import PermanentError
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.source import Delivery, Source


class TransactionBroken(PermanentError):
    """The handler left the transaction that it runs in otherwise than it found it."""


def handle_and_complete(
    source: Source, message: Delivery, known_as: str | None, watch: AbstractContextManager[None]
) -> tuple[HandlerResult, ClaimResult | None]:
    """Run the handler and remove the message, or undo what the handler wrote: None, there is more to settle.

    For sources that commit with us. The claim was committed before, so a crash is counted and no transaction
    outlives the handler. ``watch``: the block in which the handler runs.
    """
    result: HandlerResult | None = None
    try:
        with transaction.atomic():
            depth = len(connection.atomic_blocks)
            with watch:
                result = handle_message(message, known_as)
            result = _check_transaction(result, depth)
            is_success = isinstance(result.outcome, Succeeded)
            is_completed = is_success and bool(source.finish([(message, result)]))
            if not is_completed:
                transaction.set_rollback(True)
    except Error as error:
        if result is None or not is_refused(error):
            raise
        return settlement.storage_failure(result, error), None
    if not is_success:
        return result, None
    return result, ClaimResult.COMPLETED if is_completed else ClaimResult.LOST


def _check_transaction(result: HandlerResult, depth: int) -> HandlerResult:
    """Return the result, or a failure if the handler left our transaction open or closed."""
    left_open = len(connection.atomic_blocks) - depth
    if left_open > 0:  # they end here, and nothing of the handler is kept
        del connection.atomic_blocks[depth:]
        del connection.savepoint_ids[len(connection.savepoint_ids) - left_open :]
        connection.needs_rollback = True
        return _fail(result, "the handler left a transaction open, in the one that completes its message")
    if connection.closed_in_transaction:
        return _fail(result, "the handler closed the connection whose transaction completes its message")
    return result


def _fail(result: HandlerResult, sentence: str) -> HandlerResult:
    if not isinstance(result.outcome, Succeeded):
        return result
    return HandlerResult(result.identity, Failed.from_error(TransactionBroken(sentence)))
