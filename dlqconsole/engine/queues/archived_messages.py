"""The messages that a queue completed and kept in the archive."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, TextField
from django.db.models.expressions import RawSQL

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.excerpts import preview_of
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import ArchivedMessage
from dlqconsole.processing.inputs.numbers import as_id

SIZE = 50
_SHOWN = ("id", "archived_at", "keep_until", "created_at", "owner", "retry_count")


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
        raise InvalidFilter(["id: a message's number, such as 42."])
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
