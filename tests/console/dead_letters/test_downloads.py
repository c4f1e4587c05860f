"""A receipt's files: who may take them, what is in them, and that no browser opens them."""

import csv
import hashlib
import io

import pytest
from django.test import Client

from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from tests.accounts import actor_of
from tests.asking import ask_for
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch) -> None:
    monkeypatch.setattr(service, "wake", lambda *_: None)
    monkeypatch.setattr(run, "wake", lambda *_: None)


def ask(kind: str, work: bool = True, **given) -> Operation:
    operation = ask_for(kind, actor=actor_of("operator"), **given)
    if work:
        run.take_up(10)
    operation.refresh_from_db()
    return operation


def content(answer) -> bytes:
    return b"".join(answer.streaming_content)


def address(operation: Operation) -> str:
    return f"/operations/{operation.pk}/export"


def test_who_asked_takes_the_file_whole_and_is_audited(operator, letter):
    wanted = {str(letter()) for _ in range(3)}
    operation = ask("export")
    answer = operator.get(address(operation))
    file = content(answer)
    assert hashlib.sha256(file).hexdigest() == operation.result["sha256"]
    assert int(answer["Content-Length"]) == len(file)
    rows = list(csv.DictReader(io.StringIO(file.decode(), newline="")))
    assert {row["id"] for row in rows} == wanted
    entry = AuditEntry.objects.get(action="download export")
    assert (entry.actor, entry.target) == (actor_of("operator"), f"operation:{operation.pk}")
    assert entry.detail["sha256"] == operation.result["sha256"]


def test_nobody_else_but_an_administrator_takes_it(
    client, stranger, viewer, operator, admin_user_client, letter
):
    letter()
    operation = ask("export")
    Operation.objects.update(actor="user:somebody")
    statuses = [
        person.get(address(operation)).status_code
        for person in (client, stranger, viewer, operator, admin_user_client)
    ]
    assert statuses == [302, 403, 403, 403, 200]
    assert "Only user:somebody" in operator.get(address(operation)).content.decode()


def test_it_is_a_file_of_our_naming_that_no_browser_opens(operator, letter):
    letter("../../etc/passwd")
    operation = ask("export", parameters={"format": "jsonl"})
    answer = operator.head(address(operation))
    assert answer["Content-Disposition"].startswith('attachment; filename="dlq-2')
    assert answer["Content-Disposition"].endswith(f'Z-{operation.pk}.jsonl"')
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Security-Policy"] == "sandbox"
    assert not AuditEntry.objects.filter(action="download export").exists()


def test_a_file_that_is_not_there_says_why(operator, letter):
    letter()
    waiting, other, old = ask("export", work=False), None, None
    assert operator.get(address(waiting)).status_code == 409
    other = ask("discard")
    assert operator.get(address(other)).status_code == 404
    old = ask("export")
    Operation.objects.filter(pk=old.pk).update(finished_at="2020-01-01T00:00Z")
    exporting.forget_old()
    answer = operator.get(address(old))
    assert answer.status_code == 410
    assert "was deleted" in answer.content.decode()


def test_a_viewer_reads_what_became_of_each_item(viewer, letter, monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.receipts.files.ITEMS_PAGE", 2)
    first, second, third, gone = letter(), letter(), letter(status="SUCCEEDED"), letter()
    operation = ask("discard")
    DeadLetter.objects.filter(pk=second).update(status="PENDING")
    DeadLetter.objects.filter(pk=gone).delete()
    answer = viewer.get(f"/operations/{operation.pk}/items.csv")
    assert answer["Content-Disposition"] == f'attachment; filename="dlq-operation-{operation.pk}-items.csv"'
    rows = list(csv.DictReader(io.StringIO(content(answer).decode(), newline="")))
    assert [(int(row["dead_letter"]), row["outcome"], row["status_now"]) for row in rows] == [
        (first, "done", "DISCARDED"),
        (second, "done", "PENDING"),
        (third, "skipped", "SUCCEEDED"),
        (gone, "done", "no longer exists"),
    ]
    assert rows[2]["reason"] == "has already SUCCEEDED"


def test_the_items_hold_no_formula_and_no_personal_data(viewer, letter):
    letter()
    operation = ask("discard")
    reason = "=HYPERLINK('http://x') for joe@example.org"
    operation.operationitem_set.update(reason=reason)
    text = content(viewer.get(f"/operations/{operation.pk}/items.csv")).decode()
    assert "\"'=HYPERLINK" in text
    assert "joe@" not in text


def test_the_receipt_offers_the_file_to_who_may_take_it_and_says_when_it_is_gone(operator, viewer, letter):
    letter()
    operation = ask("export")
    receipt = f"/operations/{operation.pk}/"
    page = operator.get(receipt).content.decode()
    assert address(operation) in page
    assert operation.result["sha256"] in page
    assert address(operation) not in viewer.get(receipt).content.decode()
    Operation.objects.update(finished_at="2020-01-01T00:00Z")
    exporting.forget_old()
    page = operator.get(receipt).content.decode()
    assert "The file was deleted on" in page
    assert address(operation) not in page


def test_a_closed_dead_letter_says_how_long_it_is_kept(viewer, letter, settings):
    url = f"/dead-letters/{letter(status='DISCARDED')}/"
    assert "Deleted for ever" not in viewer.get(url).content.decode()
    settings.DLQ_RETENTION_DAYS = 30
    assert "<dt>Deleted for ever</dt><dd>in 29 days</dd>" in viewer.get(url).content.decode()


def test_the_roles_of_the_items(client: Client, letter):
    letter()
    url = f"/operations/{ask('discard').pk}/items.csv"
    assert client.get(url).status_code == 302
    assert signed_in("stranger").get(url).status_code == 403
    assert client.get("/operations/999/items.csv").status_code == 302
