"""Dead letters put into the archive by the real code, in the test's own transaction."""

from collections.abc import Sequence

from django.conf import settings

from dlqconsole.contrib.archive.job import mark
from dlqconsole.contrib.archive.job.moving import DayAndType, MoveResult, move
from dlqconsole.contrib.archive.job.shapes import DEAD_LETTERS, TableShape
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.contrib.archive.letters import raw_connection
from dlqconsole.engine.models import DeadLetter


def put_away(ids: Sequence[int], status: str = "DISCARDED") -> MoveResult:
    """Close these dead letters of one event type, and archive them into one file."""
    DeadLetter.objects.filter(pk__in=ids).update(status=status)
    first = DeadLetter.objects.get(pk=ids[0])
    link = raw_connection()
    link.execute(sql("archive.canonical"))
    mark.claim(link, settings.DLQ_ARCHIVE_DIR)
    place = DayAndType(first.created_at.date(), first.event_type)
    moved = move(link, settings.DLQ_ARCHIVE_DIR, TableShape.of(link, DEAD_LETTERS), place, ids, None)
    assert not moved.gave_up
    return moved
