"""Messages that wait for an earlier one of their group."""

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql


def unblock_forgotten(queue: str) -> int:
    """Call heads of groups whose predecessor left while they were being sent. Return their number.

    When a message leaves its table, a trigger calls the next of its group, but cannot see messages that are
    sent in the same moment. Looks at every group of the queue, a page of keys at a time.
    """
    total, after = 0, ""
    while keys := fetch_column(sql("messages.group_keys"), {"queue": queue, "after": after}):
        values = {"queues": [queue] * len(keys), "group_keys": keys}
        total += fetch_column(sql("messages.call_next"), values)[0]
        after = keys[-1]
    return total
