"""Messages that wait for an earlier one of their group."""

from collections.abc import Sequence

from dlqconsole.engine.database import prepared
from dlqconsole.engine.messages.claims import Claim
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.sql import sql


def unblock_next(claims: Sequence[Claim]) -> None:
    """Make the next message of each claim's group claimable, when these have left in the same transaction."""
    heads = sorted({(claim.queue, claim.group_key) for claim in claims if claim.group_key is not None})
    if heads:
        queues, keys = zip(*heads, strict=True)
        prepared.run(sql("messages.unblock_waiting"), {"queues": list(queues), "group_keys": list(keys)})


def unblock_forgotten(queue: str) -> int:
    """Call the heads of groups whose predecessor left while they were being sent; how many there were.

    Looks at every group of the queue, a page of keys at a time.
    """
    called, after = 0, ""
    while keys := fetch_column(sql("messages.group_keys"), {"queue": queue, "after": after}):
        values = {"queues": [queue] * len(keys), "group_keys": keys}
        called += len(fetch_column(sql("messages.unblock_waiting"), values))
        after = keys[-1]
    return called
