"""The page for a team without Python: its statements work, in their order."""

import re
from pathlib import Path

import pytest
from django.db import connection

from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.retries import run
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Path("docs/without-python.md").read_text()
BLOCKS = "".join(re.findall(r"```sql\n(.*?)```", PAGE, re.S))
REPORT, SEND, CLAIM = (one.strip() for one in BLOCKS.split(";") if one.strip())
ENDINGS = {re.search(r"(\w+)\(", one)[1]: one for one in re.findall(r"`(SELECT [^`]+)`", PAGE)}


def call(query, message=None):
    """The rows of a statement of the page, which names a message's columns as psql does."""
    names = {":id": "%(id)s::bigint", ":token": "%(token)s::uuid"}
    for name, place in names.items():
        query = query.replace(name, place)
    with connection.cursor() as cursor:
        cursor.execute(query, message)
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def test_a_team_without_python_gets_failures_in_and_heals_them(started_with):
    started_with("")
    call(REPORT)
    call(SEND)
    [claim] = call(CLAIM)
    assert claim["dlq_event_id"] is None
    assert call(ENDINGS["queue_complete"], claim)
    assert not Message.objects.exists()
    assert run.run().revived == 1
    [claim] = call(CLAIM)
    assert claim["dlq_event_id"] == DeadLetter.objects.get().pk
    [failed] = call(ENDINGS["queue_fail"], claim)
    assert failed["outcome"] == "retry"
    execute("UPDATE message_queue SET next_retry_at = now()")
    [claim] = call(CLAIM)
    assert call(ENDINGS["queue_extend"], claim)
    [failed] = call(ENDINGS["queue_give_up"], claim)
    letter = DeadLetter.objects.get(pk=failed["dead_letter_id"])
    assert (letter.status, letter.retry_count, letter.come_backs) == ("PENDING", 2, 1)
    assert run.run().revived == 0, "it waits, and a BUSINESS failure waits for a person"
    assert call(ENDINGS["dead_letter_revive"].replace("42", str(letter.pk)))
    [claim] = call(CLAIM)
    assert call(ENDINGS["queue_release"], claim)
    [claim] = call(CLAIM)
    assert call(ENDINGS["queue_complete"], claim)
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    assert call(ENDINGS["queue_complete"], claim) == [], "the lease is over"
