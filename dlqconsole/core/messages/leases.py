"""Leases: extending a claim, giving it back, putting it off."""

from collections.abc import Mapping, Sequence
from typing import Any

from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql

# seconds until the next look at a message whose type has just been met without a handler
FIRST_PAUSE = 1.0

PAGE = 1000
PAGES = 20


def extend(claims: Sequence[MessageClaim], lease_seconds: float) -> set[int]:
    """Lengthen the leases that are still held. Return their ids."""
    return set(fetch_column(sql("messages.extend"), lease_keys(claims) | {"lease": lease_seconds}))


def release(claims: Sequence[MessageClaim]) -> set[int]:
    """Give back claims that were not begun, the attempt not counted. Return the ids that were still ours."""
    return set(fetch_column(sql("messages.release"), lease_keys(claims) | {"delay": 0.0}))


def snooze(claims: Sequence[MessageClaim], seconds: float) -> set[int]:
    """Put off until ``seconds`` from now, the attempt not counted. Return the ids that were still ours."""
    if not 0 <= seconds < 100 * 365 * 86_400:
        raise ValueError(f"a message is put off by 0 seconds to 100 years, not {seconds:g} s")
    return set(fetch_column(sql("messages.release"), lease_keys(claims) | {"delay": float(seconds)}))


def put_back(claims: Sequence[MessageClaim], event_type: str, seconds: float) -> set[int]:
    """Put off messages without a handler here, as if unclaimed. Return the ids that were ours."""
    values = lease_keys(claims) | {"delay": float(seconds), "event_type": event_type}
    return set(fetch_column(sql("messages.put_back"), values))


def lease_keys(claims: Sequence[MessageClaim]) -> dict[str, Any]:
    """Return ids and tokens that prove these claims, as parameters of a statement; in order, for locking."""
    claims = sorted(claims, key=lambda claim: claim.id)
    return {"ids": [claim.id for claim in claims], "tokens": [claim.lease_token for claim in claims]}


def stage() -> int:
    """Make due messages claimable. Return their number (20,000 at most, by the thousand)."""
    return _by_page("messages.stage", {})


def call_handled(queues: Sequence[str], event_types: Sequence[str]) -> int:
    """Make claimable the messages that others put back and the caller can handle. Count: 20,000 at most."""
    values = {"queues": list(queues), "event_types": list(event_types)}
    return _by_page("messages.call_handled", values)


def unblock_forgotten(queue: str) -> int:
    """Call heads of groups whose predecessor left while they were being sent. Return their number.

    When a message leaves its table, a trigger calls the next of its group, but cannot see messages that are
    sent in the same moment. Looks at every group of the queue.
    """
    number: int = fetch_column("SELECT queue_call_forgotten(%(queue)s)", {"queue": queue})[0]
    return number


def seconds_until_due() -> float | None:
    """Return the seconds until the next scheduled message of any queue is due; None without one."""
    seconds: float | None = fetch_column(sql("messages.next_due"), {})[0]
    return seconds


def _by_page(name: str, values: Mapping[str, Any]) -> int:
    total = 0
    for _ in range(PAGES):
        page = len(fetch_column(sql(name), {**values, "limit": PAGE}))
        total += page
        if page < PAGE:
            break
    return total
