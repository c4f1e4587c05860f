"""What becomes of a message of an attached queue once its handler ran: done, later, or a dead letter."""

from dataclasses import replace

from django.db import DatabaseError, transaction

from dlqconsole.engine.consuming.settlement import Settled
from dlqconsole.engine.database.transient_errors import connection_lost, sentence
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import Handled
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.lifecycle.failures import QueuePolicy
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.processing.errors import UnusableRecord
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports.models import AttachedQueue, TransportKind
from dlqconsole.transports.protocol import Delivery, Transport
from dlqconsole.transports.sql import sql


def settle(transport: Transport, queue: AttachedQueue, delivery: Delivery, handled: Handled) -> Settled:
    """Record what came of a delivery. A lost lease changes nothing on the queue and is reported."""
    try:
        if isinstance(handled.outcome, Failed):
            return _settle_failure(transport, queue, delivery, handled, handled.outcome)
        return _complete(transport, queue, delivery, handled, handled.outcome)
    except LeaseLost:
        return Settled.LOST


def _settle_failure(
    transport: Transport, queue: AttachedQueue, delivery: Delivery, handled: Handled, failure: Failed
) -> Settled:
    if failures.retries_on_queue(failure, delivery.attempts, queue.max_deliveries):
        delay = QueuePolicy().backoff.seconds(delivery.attempts)
        return Settled.LATER if transport.release([delivery], delay_seconds=delay) else Settled.LOST
    transport.dead_letter(delivery, handled.identity, failure, failures.dead_letter_status(failure))
    return Settled.DEAD


def _complete(
    transport: Transport, queue: AttachedQueue, delivery: Delivery, handled: Handled, success: Succeeded
) -> Settled:
    try:
        _record_and_remove(transport, queue, delivery, handled, success)
    except DatabaseError as error:
        if connection_lost(error):
            raise
        # what the database will not store becomes the failure it is
        refused = Failed.from_error(UnusableRecord(f"the database did not store it: {sentence(error)}"))
        return _settle_failure(transport, queue, delivery, replace(handled, outcome=refused), refused)
    return Settled.COMPLETED


def _record_and_remove(
    transport: Transport, queue: AttachedQueue, delivery: Delivery, handled: Handled, success: Succeeded
) -> None:
    if queue.transport == TransportKind.PGMQ:
        with transaction.atomic():
            _keep_record(handled, success)
            _remove(transport, delivery)
        return
    # Two databases: the record first. It may be written twice; a removed message cannot be run again.
    _keep_record(handled, success)
    _remove(transport, delivery)


def _keep_record(handled: Handled, success: Succeeded) -> None:
    values = {
        "event_type": handled.identity.event_type[:255],
        "source": handled.identity.source,
        "source_key": handled.identity.source_key,
        "occurred_at": handled.identity.occurred_at,
        "record": success.record_json,
    }
    fetch_column(sql("relay.enrich"), values)


def _remove(transport: Transport, delivery: Delivery) -> None:
    if not transport.complete([delivery]):
        raise LeaseLost(f"The lease on message {delivery.id} ran out; its outcome was not recorded.")
