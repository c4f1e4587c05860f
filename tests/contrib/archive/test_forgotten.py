"""What is purged, or erased from the archive, is nowhere any more: no row of any table has a word of it."""

import json
from uuid import uuid4

import pytest
from django.db import connection

from dlqconsole.contrib.archive import changing
from dlqconsole.contrib.archive.job import parquet
from dlqconsole.contrib.archive.letters import find
from dlqconsole.contrib.insight.models import CommonGround, SuccessSample
from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.core import messages
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.models import ArchivedMessage, Attempt, DeadLetter, PayloadVersion
from dlqconsole.engine.queues import changes as queues
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.work import run
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.contrib.archive.world import put_away
from tests.plain_sql import value

pytestmark = pytest.mark.django_db

WORD = "Quetzalcoatl"
WHO = {"actor": ALICE, "reason": "because"}


@pytest.fixture
def known(letter, settings, tmp_path) -> int:
    """A dead letter that was revived, edited, rehearsed, sampled and summed up; it succeeded."""
    settings.DLQ_ARCHIVE_DIR = tmp_path
    queues.create("orders", retention="archive", **WHO)
    number = letter(payload={"name": WORD}, **told())
    other = letter(payload={"name": "another"}, queue="orders", error_reason="Refused: another thing")
    work("revive", [number, other])
    messages.complete(messages.claim("orders", 2, "me", 60))
    assert ArchivedMessage.objects.get(dlq_event_id=number).payload == {"name": WORD}
    remember(number)
    rollups.fold()
    return number


def told() -> dict[str, str]:
    said = {"error_reason": f"Refused: no {WORD}", "error_stacktrace": f'File "{WORD}.py", line 1, in {WORD}'}
    named = {"queue": "orders", "source": "shop", "source_key": f"{WORD}-1"}
    return {**said, **named, "headers": json.dumps({"name": WORD})}


def work(kind: str, ids: list[int]) -> Operation:
    operation = ask_for(kind, actor=ALICE, ids=ids)
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    run.take_up(5)
    operation.refresh_from_db()
    assert (operation.status, operation.done) == ("completed", len(ids))
    return operation


def remember(number: int) -> None:
    letter = DeadLetter.objects.get(pk=number)
    Attempt.objects.create(dlq_event_id=number, kind="schedule", outcome="failed", error_reason=f"no {WORD}")
    PayloadVersion.objects.create(dlq_event_id=number, number=0, payload={"name": WORD}, reason=f"not {WORD}")
    SuccessSample.objects.create(
        event_type="a", source="shop", source_key=letter.source_key, payload={"name": WORD}
    )
    CommonGround.objects.create(group_id=letter.group_id, found={"name": WORD})
    rehearsal = Operation.objects.create(
        request_key=uuid4(),
        kind="rehearse",
        status="completed",
        actor=ALICE,
        reason="x",
        cutoff_id=9,
        expected=1,
    )
    words = {"operation": rehearsal, "dead_letter_id": number, "reason": f"Refused: no {WORD}"}
    OperationItem.objects.create(**words, status="failed")
    Prediction.objects.create(**words, payload_version=0, would="fail")


def holding(word: str = WORD) -> set[str]:
    """The tables of which a row, written out as a dump has it, holds the word."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
            " AND c.relnamespace = 'public'::regnamespace"
        )
        tables = [row[0] for row in cursor.fetchall()]
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{name}' FROM \"{name}\" t WHERE t::text ILIKE %s GROUP BY 1" for name in tables
            ),
            [f"%{word}%"] * len(tables),
        )
        return {row[0] for row in cursor.fetchall()}


KNOWN = {
    *("dlq_events", "dlq_attempts", "payload_versions", "success_samples", "message_archive"),
    *("failure_groups", "common_grounds", "operation_items", "rehearsal_predictions"),
}


@pytest.mark.parametrize("road", ["purge", "erase"])
def test_no_table_has_a_word_of_it(known, tmp_path, road):
    assert holding() >= KNOWN
    beside = letter_beside(known)
    if road == "purge":
        work("purge", [known])
    else:
        put_away([known, beside], "SUCCEEDED")
        assert holding() == KNOWN - {"dlq_events", "dlq_attempts", "payload_versions"}
        changing.erase([find(known)], ALICE, "a person asked")
        assert WORD.encode() not in b"".join(repr(row).encode() for row in kept(tmp_path))
    assert holding() == set()


def letter_beside(number: int) -> int:
    """Another of the same type, so that a file is left."""
    return DeadLetter.objects.exclude(pk=number).get().pk


def kept(folder) -> list:
    rows = []
    for path in folder.rglob("*.parquet"):
        with parquet.open_reader(path) as file:
            rows += [row for group in file.groups() for row in group]
    assert len(rows) == 1
    return rows


def test_a_group_s_words_go_with_its_last_one_and_come_again(known, letter):
    group = DeadLetter.objects.get(pk=known).group_id
    second = letter(payload={}, **told() | {"source_key": "2", "status": "DISCARDED"})
    work("purge", [known])
    assert message_of(group) == f"Refused: no {WORD}"
    work("purge", [second])
    assert message_of(group) == "‹erased›"
    letter(payload={}, **told() | {"source_key": "3"})
    rollups.fold()
    assert message_of(group) == f"Refused: no {WORD}"


def message_of(group: int) -> str:
    return value("SELECT message FROM failure_groups WHERE id = %s", group)
