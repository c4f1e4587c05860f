"""`gate`: tells whether work may go on, or has to wait because what it needs is away."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from .destinations import is_database
from .errors import clean

if TYPE_CHECKING:
    from .flood_gate import FloodGate

log = logging.getLogger("dlq")
_dsn, _drain_rate = "", 50.0
_gate: FloodGate | None = None


def gate(
    type: str, *, failed: BaseException | None = None, succeeded: int = 0, waited: bool = False
) -> float:
    """Return how many seconds work of this event type has to wait; 0.0: it goes on.

    Ask before you handle it, and tell what came of it. `failed=error` answers how long until you try it
    again; 0.0: report it. `succeeded=1` is counted. `waited`: this one was put back before. It needs a
    PostgreSQL URL. While the database does not answer, nothing waits.
    """
    try:
        if there := current():
            kind = clean(type, 512)[:255]
            if failed is not None:
                return there.failed(kind, failed, waited=waited)
            if not succeeded:
                return there.ask(kind, waited=waited)
            there.succeeded(kind, succeeded)
    except Exception as problem:  # nobody waits for a fault of ours
        log.warning("the flood gate was not asked (%s)", problem.__class__.__name__)
    return 0.0


def begin(dsn: str, drain_rate: float) -> None:
    """Take the gate of this database from now on."""
    global _dsn, _drain_rate, _gate
    _dsn, _drain_rate, _gate = dsn, drain_rate, None


def current() -> FloodGate | None:
    """Return the gate of this process: the child of a fork begins its own."""
    global _gate
    if not is_database(_dsn):
        return None
    if _gate is None or _gate.pid != os.getpid():
        from .flood_gate import FloodGate

        _gate = FloodGate(_dsn, _drain_rate, _gate)
    return _gate
