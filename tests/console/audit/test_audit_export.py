"""The audit log as a file: what its page's filter matches, as the page shows it, for whoever may read it."""

import json
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from dlqconsole.processing.formats import FORMATS
from tests.exported import Rows, rows_of
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db(transaction=True)


def asked(client: Client, format: str = "csv", **filter: str) -> Operation:
    """The operation behind the menu of the page."""
    answer = client.post("/audit/export", {"format": format, "request_key": uuid4(), **filter})
    assert answer.status_code == 302, answer.content
    return Operation.objects.get(pk=int(answer["Location"].split("/")[-2]))


def exported(client: Client, format: str = "csv", **filter: str) -> Rows:
    operation = asked(client, format, **filter)
    run.run(operation.pk)
    taken = client.get(f"/operations/{operation.pk}/export")
    assert taken.status_code == 200, taken.content
    return rows_of(b"".join(taken.streaming_content), format)


@pytest.fixture
def ann() -> User:
    ann = User.objects.create(username="Ann")
    audit.record(
        f"user:{ann.pk}", "pause", "queue:orders", reason="ask joe@example.org", detail={"n": "1.50"}
    )
    audit.record("schedule", "completed", "queue:other", reason="=1+1", detail={"email": "joe@example.org"})
    return ann


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_the_entries_masked_and_with_names(viewer, ann, format):
    row, other = exported(viewer, format, subject="queue")
    assert (row["actor"], row["who"], row["action"]) == (f"user:{ann.pk}", "Ann", "pause")
    assert (row["target"], row["reason"]) == ("queue:orders", "ask ‹email›")
    assert json.loads(row["detail"] or "") == {"n": "1.50"}
    assert json.loads(other["detail"] or "") == {"email": "‹email›"}
    assert other["reason"] == ("'=1+1" if format.startswith("csv") else "=1+1")


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({"who": "ann"}, ["queue:orders"]),
        ({"who": "schedule", "subject": "queue"}, ["queue:other"]),
        ({"subject": "group"}, []),
        ({"since": "2100-01-01"}, []),
        ({"until": "2020-01-01"}, []),
        ({"subject": "queue", "since": "2020-01-01", "until": "2100-01-01"}, ["queue:orders", "queue:other"]),
        ({"operation": "7"}, []),
    ],
)
def test_the_file_is_what_the_filter_of_the_page_matches(viewer, ann, filter, found):
    assert [row["target"] for row in exported(viewer, **filter)] == found


def test_the_page_offers_it_with_its_filter_and_the_receipt_says_what_it_is(viewer, ann):
    page = viewer.get("/audit/?who=ann&operation=&since=2020-01-01").content.decode()
    assert 'action="/audit/export"' in page
    assert '<input type="hidden" name="since" value="2020-01-01">' in page
    assert '<input type="hidden" name="who" value="ann">' in page
    operation = asked(viewer, who="ann", since="2020-01-01")
    run.run(operation.pk)
    receipt = viewer.get(f"/operations/{operation.pk}/").content.decode()
    assert "audit entries of ann from 2020-01-01" in receipt
    assert f"/operations/{operation.pk}/export" in receipt
    assert "Export of the audit log" in viewer.get("/operations/").content.decode()


def test_the_export_and_its_download_are_in_the_log_and_what_came_later_is_not_in_the_file(viewer, ann):
    before = AuditEntry.objects.order_by("-id")[0].pk
    operation = asked(viewer)
    audit.record("schedule", "completed", "queue:late")
    run.run(operation.pk)
    taken = viewer.get(f"/operations/{operation.pk}/export")
    rows = rows_of(b"".join(taken.streaming_content), "csv")
    assert max(int(row["id"] or 0) for row in rows) == before
    actions = AuditEntry.objects.filter(operation_id=operation.pk).values_list("action", flat=True)
    assert {*actions} == {"request export_audit", "completed", "download export"}
    assert "download export" in viewer.get("/audit/").content.decode().lower()


def test_a_click_twice_is_one_export_and_only_who_asked_takes_it(viewer, operator, ann):
    form = {"format": "csv", "request_key": uuid4()}
    first, second = (viewer.post("/audit/export", form)["Location"] for _ in range(2))
    assert first == second
    run.run(int(first.split("/")[-2]))
    assert operator.get(f"{first}export").status_code == 403


def test_who_may_not_read_the_log_gets_none_and_a_viewer_no_file_of_dead_letters(client, viewer, letter):
    assert client.post("/audit/export", {"format": "csv", "request_key": uuid4()}).status_code == 302
    assert not Operation.objects.exists()
    letter()
    mine = asked(viewer)
    run.run(mine.pk)
    Operation.objects.filter(pk=mine.pk).update(kind="export")
    assert viewer.get(f"/operations/{mine.pk}/export").status_code == 403


def test_who_is_limited_gets_the_entries_of_their_own_page(ann):
    person = limited("viewer", [("orders", "*")])
    assert [row["target"] for row in exported(person, subject="queue")] == ["queue:orders"]


@pytest.mark.parametrize("wrong", [{"format": "zip"}, {"request_key": "x"}, {"since": "soon"}])
def test_what_cannot_be_read_is_said(viewer, wrong):
    form = {"format": "csv", "request_key": uuid4()} | wrong
    page = viewer.post("/audit/export", form, follow=True).content.decode()
    assert not Operation.objects.exists()
    assert "toast" in page
