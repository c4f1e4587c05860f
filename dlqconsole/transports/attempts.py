"""Failed attempts on other systems' queues that are tried again there, before any dead letter exists."""

from dlqconsole.core.named_sql import execute
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.sql import sql


def keep_failed(queue: str, message_id: str, failure: Failed, revival: tuple[int, int] | None) -> None:
    """Keep one failed attempt on a message, in the caller's transaction.

    ``queue`` is the name with its system. ``revival``: the dead letter that the message was revived from, and
    which revival it is; without one the attempt follows the message into the dead letter that it may become.
    """
    values = {
        "queue": queue,
        "message_id": message_id,
        "dlq_event_id": revival and revival[0],
        "category": failure.category,
        "reason": failure.reason,
        "stacktrace": failure.stacktrace,
    }
    execute(sql("attempts.keep_failed"), values)
