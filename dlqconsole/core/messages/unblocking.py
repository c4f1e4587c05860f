"""Messages that wait for an earlier one of their group."""

from dlqconsole.core.named_sql import fetch_column


def unblock_forgotten(queue: str) -> int:
    """Call heads of groups whose predecessor left while they were being sent. Return their number.

    When a message leaves its table, a trigger calls the next of its group, but cannot see messages that are
    sent in the same moment. Looks at every group of the queue.
    """
    number: int = fetch_column("SELECT queue_call_forgotten(%(queue)s)", {"queue": queue})[0]
    return number
