"""docs/archive.md says how everything about one person is erased: its lines are run as they stand."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command

from dlqconsole.contrib.insight.models import SuccessSample
from dlqconsole.engine.models import EnrichedEvent
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from tests.accounts import person, token_of
from tests.contrib.archive.test_forgotten import holding, kept
from tests.contrib.archive.world import put_away
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db

TEXT = (Path(__file__).parents[3] / "docs/archive.md").read_text()
SECTION = TEXT[TEXT.index("### Everything about one person") :]
LISTED, ARCHIVED, STATEMENTS = re.findall(r"```\w*\n(.+?)```", SECTION, re.DOTALL)
NAME = "customer-17"


@pytest.fixture
def known(letter, settings, tmp_path) -> list[int]:
    """Two open dead letters, one in the archive, a record, a sample, a message."""
    settings.DLQ_ARCHIVE_DIR = tmp_path
    settings.DLQ_TOKEN = token_of(person("ann", "admin"))
    about = {"payload": {"customer": NAME}, "error_reason": f"Refused: {NAME} unknown", "source": "shop"}
    put_away([letter(**about, source_key="0"), letter(source="shop", source_key="another")])
    EnrichedEvent.objects.create(event_type="a", source="shop", source_key=NAME, record={"id": NAME})
    SuccessSample.objects.create(event_type="a", source="shop", source_key=NAME, payload={"id": NAME})
    execute(f"INSERT INTO message_queue (queue, payload) VALUES ('q', '{{\"c\": \"{NAME}\"}}')")
    ids = [letter(**about, source_key=str(number)) for number in (1, 2)]
    return ids


def test_the_lines_of_the_document_leave_nothing(known, capsys, tmp_path):
    approver = person("bob", "operator")
    assert holding(NAME) == {"dlq_events", "enriched_events", "message_queue", "success_samples"}
    for line in LISTED.splitlines():
        call(line.replace("41 57", " ".join(map(str, known))))
        work(approver)
    listed = capsys.readouterr().out
    assert all(f"{number}" in listed for number in known)
    assert [operation.kind for operation in Operation.objects.order_by("id")] == ["discard", "purge"]
    for line in ARCHIVED.splitlines():
        call(line)
    execute(STATEMENTS)
    assert holding(NAME) == set()
    assert NAME not in repr(kept(tmp_path))


def call(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "manage.py"
    call_command(*words)


def work(approver: str) -> None:
    run.take_up(5)
    for waiting in Operation.objects.filter(status="awaiting"):
        controls.approve(waiting.pk, approver)
    run.take_up(5)
