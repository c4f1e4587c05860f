"""Visits: which people have a page open now, so that two do not work on the same thing unknowingly.

A page notes its visit whenever it is shown or asks for news, although that is a GET: the row lasts for half a
minute, decides nothing, and no page fails for want of it.
"""

from dataclasses import dataclass

from django.db import Error

from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.people.sql import sql


@dataclass(frozen=True, slots=True)
class Visit:
    """An account that has a page open: its ``actor``, the page, and for how many seconds."""

    actor: str
    page: str
    seconds: float


def visit(page: str, actor: str, nearby: str = "") -> list[Visit]:
    """Note that an account has a page open. Return the others' visits there and ``nearby``, longest first.

    Where the database is read-only, or the table is locked, nobody is returned.
    """
    try:
        rows = fetch_dicts(sql("visits.note"), {"page": page, "nearby": nearby, "actor": actor})
    except Error:
        return []
    return [Visit(**row) for row in rows]


def forget_old() -> None:
    """Delete visits that ended an hour ago."""
    execute(sql("visits.forget"), {})
