"""Leases: extending a claim, giving it back, putting it off."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql
from dlqconsole.processing.categories import UNKNOWN


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


def retry_later(
    claim: MessageClaim,
    delay_seconds: float,
    reason: str,
    *,
    category: str = UNKNOWN,
    stacktrace: str = "",
    fatal: bool = False,
) -> None:
    """Leave the message on its queue for another attempt after ``delay_seconds``. Raises LeaseLost.

    The failed attempt is kept, with the reason in its row on the queue, too. ``fatal``: its process died of
    it, which is counted until it fails otherwise.
    """
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "delay": delay_seconds,
        "reason": reason,
        "category": category,
        "stacktrace": stacktrace,
        "fatal": fatal,
    }
    if not fetch_column(sql("messages.retry_later"), values):
        raise LeaseLost(f"The lease on message {claim.id} ran out; its outcome was not recorded.")


def lease_keys(claims: Sequence[MessageClaim]) -> dict[str, Any]:
    """Return ids and tokens that prove these claims, as parameters of a statement; in order, for locking."""
    claims = sorted(claims, key=lambda claim: claim.id)
    return {"ids": [claim.id for claim in claims], "tokens": [claim.lease_token for claim in claims]}
