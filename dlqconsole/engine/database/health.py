"""Conditions of the database that slow every queue down, and what to do about them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

LONG_TRANSACTION_SECONDS = 5 * 60
LONG_LOCK_WAIT_SECONDS = 30
OLD_XMIN = 1_000_000  # transactions
DEAD_ROWS = 100_000
NOTIFICATION_QUEUE = 0.5
CONNECTIONS = 0.9


def health() -> dict[str, Any]:
    """Look once: lock waits on our tables, oldest transaction, what holds back vacuum, connections.

    ``tables``: live and dead rows and the last vacuum of each busy table; ``warnings``: a sentence each.
    """
    [figures] = fetch_dicts(sql("database_health.look"), {})
    figures["tables"] = fetch_dicts(sql("database_health.tables"), {})
    figures["notification_percent"] = round(100 * figures["notification_queue_usage"])
    figures["warnings"] = warnings(figures)
    return figures


def warnings(figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each condition that needs action, gravest first."""
    sentences = [
        _transaction(figures),
        _horizon(figures),
        _locks(figures),
        *map(_table, figures["tables"]),
        _notifications(figures),
        _connections(figures),
    ]
    return [sentence for sentence in sentences if sentence]


def _transaction(figures: Mapping[str, Any]) -> str:
    seconds = figures["oldest_transaction_seconds"]
    if seconds is None or seconds < LONG_TRANSACTION_SECONDS:
        return ""
    pid = figures["oldest_transaction_pid"]
    return (
        f"A transaction of {figures['oldest_transaction_application'] or 'an unnamed program'} (pid {pid},"
        f" {figures['oldest_transaction_state'] or 'state unknown'}) has been open for"
        f" {seconds // 60:,.0f} min. Until it ends no dead row can be cleared away, and every queue slows"
        f" down. End it in its program, or run SELECT pg_terminate_backend({pid})."
    )


def _horizon(figures: Mapping[str, Any]) -> str:
    age = figures["oldest_xmin_transactions"]
    if age < OLD_XMIN:
        return ""
    return _(
        "{holder} keeps dead rows of {age:,} transactions from being cleared away. End"
        " it, or drop it if nobody needs it."
    ).format(holder=figures["oldest_xmin_holder"].capitalize(), age=age)


def _locks(figures: Mapping[str, Any]) -> str:
    seconds = figures["longest_lock_wait_seconds"] or 0
    if seconds < LONG_LOCK_WAIT_SECONDS:
        return ""
    return _(
        "{lock_waits:,} waiting for a lock on our tables, the longest for {seconds:,.0f} s."
        " Find who holds it with pg_blocking_pids(pid), and let it commit or end it."
    ).format(lock_waits=figures["lock_waits"], seconds=seconds)


def _table(table: Mapping[str, Any]) -> str:
    if table["dead_rows"] < DEAD_ROWS or table["dead_rows"] < table["live_rows"]:
        return ""
    return _(
        "{name} has {dead_rows:,} dead rows beside {live_rows:,} live ones. Autovacuum is"
        " late or held back: see the oldest transaction, then run VACUUM {name}."
    ).format(name=table["name"], dead_rows=table["dead_rows"], live_rows=table["live_rows"])


def _notifications(figures: Mapping[str, Any]) -> str:
    usage = figures["notification_queue_usage"]
    if usage < NOTIFICATION_QUEUE:
        return ""
    return _(
        "The notification queue is {usage:.0%} full: a session that listens does not read."
        " At 100% no message can be sent. Restart the consumer that hangs."
    ).format(usage=usage)


def _connections(figures: Mapping[str, Any]) -> str:
    in_use, most = figures["connections"], figures["max_connections"]
    if in_use < CONNECTIONS * most:
        return ""
    return _(
        "{in_use:,} of {most:,} connections are in use. Raise max_connections, or put a pooler in front."
    ).format(in_use=in_use, most=most)
