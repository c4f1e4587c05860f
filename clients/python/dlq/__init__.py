"""dlq: reports what failed to dlqconsole, with what is needed to try it again.

    dlq.init("https://TOKEN@console.example.org/", source="shop", release="1.4.2")

    @dlq.guard("order.created")
    def handle(order): ...

After `init`, nothing here raises into your program, or keeps it waiting for more than 50 ms.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import destinations, gating, reports
from .client import Client, log
from .gating import gate
from .guarding import guard
from .spool import open_spool
from .values import CannotDecode, decode, encode

if TYPE_CHECKING:
    from .effects import Effect, Ledger

__all__ = [
    "CannotDecode",
    "decode",
    "effect",
    "encode",
    "flush",
    "gate",
    "guard",
    "init",
    "recovered",
    "report",
]

_MEBIBYTE = 1024 * 1024
_running: tuple[Client, reports.Origin] | None = None
_warned = False
_dsn = ""
_ledger: Ledger | None = None


def init(
    dsn: str,
    *,
    token: str | None = None,
    source: str | None = None,
    release: str | None = None,
    host: str | None = None,
    spool: str | None = None,
    spool_bytes: int = 16 * _MEBIBYTE,
    exit_seconds: float = 2.0,
    with_locals: bool = False,
    flood_gate: bool = False,
    drain_rate: float = 50.0,
) -> None:
    """Say where reports go: postgresql://reporter@host/dlq, or https://TOKEN@console.example.org/.

    `source` names your program: with a key it says which event it was. `spool` is a folder for reports that
    cannot be sent yet, by default in the folder for temporary files, which a reboot may empty. The processes
    of a host share it, and its size. With `flood_gate`, Celery's tasks wait in an outage, and leave no dead
    letter each; afterwards `drain_rate` of a type begin a second. Raises ValueError with a sentence if the
    DSN cannot be used.
    """
    global _running, _dsn, _ledger
    there = destinations.destination(dsn, token)
    if flood_gate and not destinations.is_database(dsn):
        raise ValueError("the flood gate needs the console's database: dlq.init('postgresql://…')")
    waiting, problem = open_spool(spool, destinations.name_of(dsn), spool_bytes)
    if problem:
        log.warning("%s", problem)
    _dsn, _ledger = dsn, None
    gating.begin(dsn, drain_rate)
    before, _running = _running, None
    if before:
        before[0].close(0)
    origin = reports.Origin(
        source=source or os.path.basename(sys.argv[0] or "python") or "python",
        release=release,
        host=host or socket.gethostname(),
        with_locals=with_locals,
    )
    _running = Client(there, waiting, exit_seconds), origin
    if "celery" in sys.modules:
        _hear("celery", folder=spool)
        _hear("celery_gate", all_tasks=flood_gate)
    if "django" in sys.modules:
        _hear("django_tasks", folder=spool)


def _hear(module: str, **options: Any) -> None:
    try:
        importlib.import_module(f".{module}", __name__).install(**options)
    except Exception as problem:  # a version without what we need
        log.warning("dlq.%s does not work here: %s", module, problem)


def report(
    exc: BaseException | None,
    event: object,
    *,
    type: str | None = None,
    source: str | None = None,
    key: str | None = None,
    queue: str | None = None,
    category: str | None = None,
    headers: Mapping[str, Any] | None = None,
    traceparent: str | None = None,
) -> str | None:
    """Report that this event failed with this error, or with the one that is being handled.

    The same source and key again is one more occurrence of the same dead letter. `queue` is where it is
    revived to; `category` is TRANSIENT, DEPENDENCY, PERMANENT or BUSINESS; `headers` are the event's own.
    Returns the number of the report, or None if it was dropped.
    """
    global _warned
    if _running is None:
        if not _warned:
            _warned = True
            log.warning("report before dlq.init: nothing is reported until then")
        return None
    client, origin = _running
    begun = time.monotonic()
    try:
        error = exc or sys.exc_info()[1] or RuntimeError("failed")
        made = reports.failure(
            origin, error, event, type=type, source=source, key=key, queue=queue, category=category,
            headers=headers, traceparent=traceparent,
        )  # fmt: skip
        with contextlib.suppress(Exception):
            error.__dlq_reported__ = True  # type: ignore[attr-defined]
        number: str = made["error"]["report"]
        return number if client.take(made, begun) else None
    except Exception as problem:
        client.drop(f"a fault of the client ({problem.__class__.__name__})")
        return None


def recovered(source: str | None, key: str) -> None:
    """Say that what failed under this source and key has succeeded since: its dead letter is closed."""
    if _running is None:
        return
    client, origin = _running
    with contextlib.suppress(Exception):
        client.take(reports.recovery(origin, source, key), time.monotonic())


def flush(timeout: float = 2.0) -> bool:
    """Send now what waits, also what dead processes left; tell whether all is sent."""
    try:
        return _running is None or _running[0].flush(timeout)
    except Exception:
        return False


def effect(
    name: str,
    key: str,
    *,
    source: str | None = None,
    event_key: str | None = None,
    not_done: tuple[type[BaseException], ...] = (),
) -> Effect:
    """Return an effect of an event, to be done once: `with dlq.effect(…) as effect: if effect.needed: …`.

    `key` makes it one of its name. `source` and `event_key` name the event as `report` does, by default by
    the key. `not_done` are errors that say that it did not happen. Waits for the ledger, and raises
    EffectUnknown or LedgerAway, of `dlq.effects`: to go on could do it twice.
    """
    from .effects import Effect

    origin = _running[1].source if _running else ""
    event = {"source": source or origin, "event_key": key if event_key is None else event_key}
    return Effect(_the_ledger, {"name": name, "key": key, **event}, not_done)


def _the_ledger() -> Ledger:
    global _ledger
    from .effects import Ledger

    if not destinations.is_database(_dsn):
        raise ValueError("effects need the console's database: dlq.init('postgresql://…')")
    _ledger = _ledger or Ledger(_dsn)
    return _ledger
