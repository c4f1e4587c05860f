"""The messages that a queue completed and kept in the archive, and how long they are kept.

A policy speaks for what is archived from then on. Earlier ones are shortened only at a person's request:
counted first, confirmed with the count, done page by page, and each page is in the audit log.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, TextField
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidFilter, InvalidQueue
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.engine.dead_letters.excerpts import preview_of
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import ArchivedMessage
from dlqconsole.engine.queues.policy import quote
from dlqconsole.processing.inputs.numbers import as_id

SIZE = 50
_SHOWN = ("id", "archived_at", "keep_until", "created_at", "owner", "retry_count")

PAGE = 5_000


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """Some archived messages, newest first, and the place where the next page begins; empty at the end."""

    rows: list[dict[str, Any]]
    next: str


def page(queue: str, texts: Mapping[str, str], *, before: str = "") -> ArchivePage:
    """Return archived messages: ``id``, ``since`` ≤ archived < ``until``. Raises InvalidFilter."""
    rows = ArchivedMessage.objects.filter(_condition(queue, texts), _older(before))
    excerpt = RawSQL(preview_of("message_archive"), (), output_field=TextField())  # noqa: S611
    newest = rows.annotate(excerpt=excerpt).order_by("-archived_at", "-id").values(*_SHOWN, "excerpt")
    listing: list[dict[str, Any]] = [dict(row) for row in newest[: SIZE + 1]]
    return ArchivePage(listing[:SIZE], _place(listing[SIZE - 1]) if len(listing) > SIZE else "")


def has_any(queue: str) -> bool:
    """Tell whether anything of the queue is in the archive."""
    return ArchivedMessage.objects.filter(queue=queue).exists()


def _condition(queue: str, texts: Mapping[str, str]) -> Q:
    moments = DeadLetterFilter.parse({name: texts.get(name, "") for name in ("since", "until")})
    condition = Q(queue=queue)
    if message_id := texts.get("id", ""):
        condition &= Q(pk=_id(message_id))
    if moments.since:
        condition &= Q(archived_at__gte=moments.since)
    if moments.until:
        condition &= Q(archived_at__lt=moments.until)
    return condition


def _id(text: str) -> int:
    number = as_id(text)
    if number is None:
        raise InvalidFilter([_("id: a message's number, such as 42.")])
    return number


def _place(row: Mapping[str, Any]) -> str:
    return f"{row['archived_at'].isoformat()} {row['id']}"


def _older(place: str) -> Q:
    """Return the condition of the rows after a place; a wrong place begins at the beginning."""
    moment, _space, number = place.rpartition(" ")
    try:
        at, last = datetime.fromisoformat(moment), as_id(number)
    except ValueError:
        return Q()
    if at.tzinfo is None or last is None or not 1900 < at.year < 9999:
        return Q()
    return Q(archived_at__lt=at) | Q(archived_at=at, pk__lt=last)


@dataclass(frozen=True, slots=True)
class Cost:
    """The messages that are kept longer than the days asked for. ``at_once``: so many would go now."""

    messages: int
    at_once: int


@dataclass(slots=True)
class Shortening:
    """Messages deleted at once, and kept for less time. ``left``: not reached in time, still kept longer."""

    deleted: int = 0
    shortened: int = 0
    left: int = 0


def now() -> datetime:
    """Return the moment up to which archived messages are counted, so that the count stands still."""
    [moment] = fetch_column(sql("archives.now"), {})
    assert isinstance(moment, datetime)  # noqa: S101 - a timestamptz
    return moment


def cost(name: str, days: int, before: datetime) -> Cost:
    """Count one by one the messages archived until ``before`` that are kept longer than ``days``."""
    [row] = fetch_dicts(sql("archives.longer"), {"queue": name, "days": days, "before": before})
    return Cost(row["messages"], row["at_once"])


def check_expected(name: str, current: Cost, expect: int | None) -> None:
    """Raise InvalidQueue when the count is not the one that the person confirmed."""
    if expect is not None and current.messages != expect:
        raise InvalidQueue(
            _(
                "The archive of {name} holds {messages:,} messages that are kept longer, not"
                " {expect:,}. Nothing was changed; look again."
            ).format(name=quote(name), messages=current.messages, expect=expect)
        )


def shorten(
    name: str, days: int, before: datetime, *, actor: str, reason: str, seconds: float = float("inf")
) -> Shortening:
    """Keep messages archived until ``before`` no longer than ``days``. Ends early after ``seconds``."""
    deadline = time.monotonic() + seconds
    result = Shortening()
    values = {"queue": name, "days": days, "before": before, "actor": actor, "reason": reason, "limit": PAGE}
    while True:
        [row] = fetch_dicts(sql("archives.shorten"), values)
        result.deleted += row["deleted"]
        result.shortened += row["shortened"]
        if not any(row.values()):
            return result
        if time.monotonic() >= deadline:
            result.left = cost(name, days, before).messages
            return result
