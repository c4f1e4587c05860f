"""Breakers for people: their states, and holding one open or closed. The rule is ``core.flow.breakers``."""

from datetime import UTC, datetime, timedelta

from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow.keys import dependency_key, type_key
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.engine import audit
from dlqconsole.engine.breakers.keys import check_key
from dlqconsole.engine.breakers.states import State, describe, state_of, states, why
from dlqconsole.engine.models.flow import CLOSED, OPEN
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import transaction

LONGEST = timedelta(days=31)

__all__ = [
    "State",
    "dependency_key",
    "describe",
    "hold",
    "resume",
    "state_of",
    "states",
    "type_key",
    "why",
]


def hold(key: str, open_or_closed: str, until: datetime, actor: str, reason: str) -> None:
    """Keep a breaker open (its handlers do not run) or closed (they run, whatever happens) until then.

    Raises InvalidBreaker.
    """
    check_key(key)
    if open_or_closed not in (OPEN, CLOSED):
        raise InvalidBreaker(f"A breaker is held open or closed, not {open_or_closed!r}.")
    if not timedelta() < until - datetime.now(UTC) <= LONGEST:
        raise InvalidBreaker("A breaker is held for 31 days at most, and until a moment that has not passed.")
    values = {"key": key, "held": open_or_closed, "until": until, "by": actor, "reason": reason}
    with transaction.atomic():
        execute(sql("breakers.hold"), values)
        detail = {"until": until.isoformat(timespec="seconds")}
        audit.record(actor, f"hold {open_or_closed}", f"breaker:{key}", reason=reason, detail=detail)


def resume(key: str, actor: str, reason: str = "") -> bool:
    """Close it, and hold it no more: handlers run again within a second. False: nothing stopped them."""
    check_key(key)
    with transaction.atomic():
        before = fetch_dicts(sql("breakers.resume"), {"key": key})
        if before:
            audit.record(actor, "resume", f"breaker:{key}", reason=reason, detail=before[0])
    return bool(before)
