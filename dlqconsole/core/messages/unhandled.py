"""Messages that some consumers have no handler for: put back as they were, called by one that has it."""

from collections.abc import Sequence

from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.messages.leases import lease_keys
from dlqconsole.core.messages.staging import PAGE, PAGES
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql

# seconds until the next look at a message whose type has just been met without a handler
FIRST_PAUSE = 1.0


def put_back(claims: Sequence[MessageClaim], event_type: str, seconds: float) -> set[int]:
    """Put off messages without a handler here, as if unclaimed. Return the ids that were ours."""
    values = lease_keys(claims) | {"delay": float(seconds), "event_type": event_type}
    return set(fetch_column(sql("messages.put_back"), values))


def call_handled(queues: Sequence[str], event_types: Sequence[str]) -> int:
    """Make claimable the messages that others put back and the caller can handle. Count: 20,000 at most."""
    total = 0
    for _ in range(PAGES):
        values = {"queues": list(queues), "event_types": list(event_types), "limit": PAGE}
        page = len(fetch_column(sql("messages.call_handled"), values))
        total += page
        if page < PAGE:
            break
    return total
