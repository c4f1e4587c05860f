"""Archived dead letters are counted, found by their number, shown masked, restored and erased."""

import json
import os
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from dlqconsole.contrib.archive.letters import find
from dlqconsole.contrib.archive.models import ArchiveCount, ArchiveFile
from dlqconsole.contrib.insight.models import SuccessSample
from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.runs.models import PipelineRun
from tests.contrib.archive.world import put_away
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db


@pytest.fixture
def archived(letter, settings, tmp_path) -> list[int]:
    """Three archived dead letters, in one file."""
    settings.DLQ_ARCHIVE_DIR = tmp_path
    ids = [letter(payload={"mail": "ann@example.com", "n": number}, queue="q") for number in range(3)]
    Attempt.objects.create(
        dlq_event_id=ids[1], kind="schedule", outcome="failed", error_reason="ValueError: no bob@example.com"
    )
    put_away(ids)
    return ids


def body(client: Client, name: str, *arguments: int, status: int = 200) -> str:
    answer = client.get(reverse(f"dlq:{name}", args=arguments))
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_what_is_archived_is_counted_and_found(viewer, archived):
    page = body(viewer, "dead_letters")
    assert "and 3 archived" in page
    assert "and 3 archived" in viewer.get("/dead-letters/?status=DISCARDED").content.decode()
    assert "archived</a>" not in viewer.get("/dead-letters/?status=SUCCEEDED").content.decode()
    assert "archived</a>" not in viewer.get("/dead-letters/?q=nothing").content.decode()
    answer = viewer.get("/dead-letters/", {"q": str(archived[1])})
    assert answer.url == reverse("dlq:dead_letter", args=[archived[1]])

    assert "and 3 archived" in body(viewer, "overview")

    panel = body(viewer, "archive")
    assert "3 in 1 file," in panel
    assert ArchiveFile.objects.get().path in panel


def test_its_page_is_masked_and_says_where_it_lies(viewer, operator, archived):
    page = body(viewer, "dead_letter", archived[1])
    assert "it is read from" in page
    assert ArchiveFile.objects.get().path in page
    assert "ann@example.com" not in page
    assert "bob@example.com" not in page
    assert "‹email" in page
    raw = viewer.get(reverse("dlq:dead_letter_raw", args=[archived[1]])).content
    assert json.loads(raw)["n"] == 1
    assert b"ann@" not in raw

    operator.post(reverse("dlq:dead_letter_reveal", args=[archived[1]]), {"reason": "a claim"})
    assert "ann@example.com" in body(operator, "dead_letter", archived[1])
    assert b"ann@" in operator.get(reverse("dlq:dead_letter_raw", args=[archived[1]])).content


def test_without_headers_it_says_none(viewer, letter, settings, tmp_path):
    settings.DLQ_ARCHIVE_DIR = tmp_path
    kept, bare, headed = letter(), letter(), letter(headers='{"trace": "abc"}')
    assert nothing_of(body(viewer, "dead_letter", kept))
    put_away([bare, headed])
    assert nothing_of(body(viewer, "dead_letter", bare))
    assert "&quot;abc&quot;" in body(viewer, "dead_letter", headed)


def nothing_of(page: str) -> bool:
    """Tell whether its page says that it has no headers."""
    return page.split('id="headers-title"')[1].partition("</section>")[0].endswith("None.</div> ")


def test_it_comes_back_once(operator, viewer, archived):
    number = archived[1]
    assert viewer.post(reverse("dlq:archive_restore", args=[number]), {"reason": "x"}).status_code == 403
    assert operator.post(reverse("dlq:archive_restore", args=[number]), {"reason": ""}).status_code == 422
    answer = operator.post(reverse("dlq:archive_restore", args=[number]), {"reason": "they asked again"})
    assert answer.url == reverse("dlq:dead_letter", args=[number])

    back = DeadLetter.objects.get(pk=number)
    assert (back.status, back.payload["n"]) == ("DISCARDED", 1)
    assert Attempt.objects.get(dlq_event_id=number).error_reason == "ValueError: no bob@example.com"
    assert [count.rows for count in ArchiveCount.objects.all()] == [2]
    assert ArchiveFile.objects.filter(state="kept").get().rows == 2
    entry = AuditEntry.objects.get(action="restore from archive")
    assert (entry.target, entry.reason) == (f"dead_letter:{number}", "they asked again")
    assert "they asked again" in body(viewer, "dead_letter", number)

    again = operator.post(reverse("dlq:archive_restore", args=[number]), {"reason": "once more"}, follow=True)
    assert "is in the list already: nothing was changed" in again.content.decode()
    assert AuditEntry.objects.filter(action="restore from archive").count() == 1


def test_the_same_event_in_the_list_refuses_it(operator, archived):
    found = AuditEntry.objects.count()
    gone = archived[0]
    was = find(gone)
    newer = DeadLetter.objects.create(
        event_type="order.created", source=was.text("source"), source_key=was.text("source_key")
    )
    answer = operator.post(reverse("dlq:archive_restore", args=[gone]), {"reason": "x"})
    assert answer.status_code == 422
    assert f"dead letter {newer.pk} is the same event" in answer.content.decode()
    assert not DeadLetter.objects.filter(pk=gone).exists()
    assert AuditEntry.objects.count() == found


def told_of(*letters: int) -> None:
    """A receipt with the words of errors, and a rehearsal of them."""
    given = {
        "kind": "rehearse",
        "actor": "user:1",
        "reason": "x",
        "cutoff_id": 9,
        "expected": 3,
    }
    about = {"operation": Operation.objects.create(request_key=uuid4(), **given)}
    for letter in letters:
        words = {"dead_letter_id": letter, "reason": "no ann@example.com"}
        OperationItem.objects.create(**about, **words, status="failed")
        Prediction.objects.create(**about, **words, payload_version=1, would="fail")


def test_it_is_erased_by_an_administrator_who_types_its_number(
    operator, admin_user_client, archived, tmp_path
):
    number, address = archived[2], reverse("dlq:archive_erase", args=[archived[2]])
    was = find(number)
    for key in (was.text("source_key"), "another"):
        SuccessSample.objects.create(event_type="a", source=was.text("source"), source_key=key, payload={})
    told_of(*archived)
    assert operator.post(address, {"reason": "x", "number": number}).status_code == 403
    assert admin_user_client.post(address, {"reason": "x", "number": number + 1}).status_code == 422
    assert admin_user_client.post(address, {"reason": "a person asked", "number": number}).status_code == 302
    assert admin_user_client.get(reverse("dlq:dead_letter", args=[number])).status_code == 404
    assert AuditEntry.objects.get(action="erase from archive").reason == "a person asked"
    assert SuccessSample.objects.get().source_key == "another"
    items = OperationItem.objects.exclude(reason="").values_list("dead_letter_id", flat=True)
    assert number not in items
    assert (len(items), Prediction.objects.count()) == (2, 2)
    (file,) = tmp_path.rglob("*.parquet")
    assert str(file.relative_to(tmp_path)) == ArchiveFile.objects.get(state="kept").path
    assert admin_user_client.get(reverse("dlq:dead_letter", args=[archived[0]])).status_code == 200


@pytest.mark.parametrize("what", ["pipe", "folder", "unreadable", "no folder"])
def test_what_is_no_file_in_its_place_hangs_nobody(operator, viewer, archived, tmp_path, what):
    (file,) = tmp_path.rglob("*.parquet")
    file.unlink()
    if what == "pipe":
        os.mkfifo(file)
    elif what == "folder":
        file.mkdir()
    elif what == "unreadable":
        file.symlink_to(file)
    else:
        file.parent.rmdir()
        file.parent.write_text("a file where the day's folder should be")
    page = body(viewer, "dead_letter", archived[0], status=503)
    said = {
        "pipe": "is no file",
        "folder": "is no file",
        "unreadable": "Too many levels",
        "no folder": "Not a",
    }
    assert said[what] in page
    answer = operator.post(reverse("dlq:archive_restore", args=[archived[0]]), {"reason": "x"})
    assert answer.status_code == 503


@pytest.mark.parametrize("what", ["missing", "damaged", "another", "changed"])
def test_a_file_that_is_gone_or_damaged_is_a_sentence(operator, viewer, archived, tmp_path, what):
    (file,) = tmp_path.rglob("*.parquet")
    if what == "missing":
        file.unlink()
    elif what == "another":
        import pyarrow.parquet as parquet

        whole = parquet.read_table(file)
        parquet.write_table(whole.slice(1).replace_schema_metadata(whole.schema.metadata), file)
    elif what == "damaged":
        file.write_bytes(b"PAR1 junk")
    else:
        ArchiveFile.objects.update(sha256="00")
    if what != "changed":
        page = body(viewer, "dead_letter", archived[0], status=503)
        assert "may be in the archive" in page
        assert viewer.get(reverse("dlq:dead_letter_raw", args=[archived[0]])).status_code == 404
        assert viewer.get("/dead-letters/", {"q": str(archived[0])}).status_code == 302
    answer = operator.post(reverse("dlq:archive_restore", args=[archived[0]]), {"reason": "x"})
    assert answer.status_code in (503, 422)
    assert not DeadLetter.objects.exists()
    assert ArchiveFile.objects.filter(state="kept").count() == 1
    assert not ArchiveFile.objects.filter(state="writing").exists()


def test_nobody_sees_beyond_his_reach(archived):
    client = limited("operator", [("other", "*")])
    assert "archived</a>" not in client.get("/dead-letters/").content.decode()
    assert client.get(reverse("dlq:dead_letter", args=[archived[0]])).status_code == 404
    assert client.post(reverse("dlq:archive_restore", args=[archived[0]]), {"reason": "x"}).status_code == 404
    panel = client.get(reverse("dlq:archive")).content.decode()
    assert "part-" not in panel
    assert not DeadLetter.objects.exists()
    near = limited("viewer", [("q", "*")])
    assert "and 3 archived" in near.get("/dead-letters/").content.decode()
    assert near.get(reverse("dlq:dead_letter", args=[archived[0]])).status_code == 200


def test_while_the_archive_fails_people_are_told(viewer, client, db):
    message = "the archive's folder /x cannot be written (Read-only file system): nothing was deleted"
    PipelineRun.objects.create(kind="archive", status="failed", message=message)
    for _ in range(8):
        PipelineRun.objects.create(kind="report", status="completed")
    assert "cannot be written" in body(viewer, "overview")
    assert "cannot be written" in body(viewer, "archive")
    assert "dlq_archive_failing 1.0" in body(viewer, "metrics")
    answer = client.get(reverse("dlq:healthz"))
    assert answer.status_code == 200
    assert b"the archive's last run failed" in answer.content
    assert b"/x" not in answer.content
