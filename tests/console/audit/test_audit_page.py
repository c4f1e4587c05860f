"""The audit page: what was done in words, found by who, what and when."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from tests.operations.conftest import ask

pytestmark = pytest.mark.django_db


def shown(client, query=""):
    return client.get(f"/audit/?{query}").content.decode()


@pytest.fixture
def entries(viewer):
    ann = User.objects.create(username="Ann")
    audit.record(f"user:{ann.pk}", "pause", "queue:orders", reason="first reason")
    audit.record("schedule", "completed", "operation:7", reason="second reason")
    audit.record("user:999999", "join role", "account:5", detail={"name": "bob", "role": "admin"})
    return ann


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"first reason", "second reason", "bob is admin now"}),
        ("who=ann", {"first reason"}),
        ("who=schedule", {"second reason"}),
        ("who=user:999999", {"bob is admin now"}),
        ("subject=account", {"bob is admin now"}),
        ("subject=queue&who=Ann", {"first reason"}),
        ("subject=group", set()),
        ("since=2100-01-01", set()),
        ("until=2020-01-01", set()),
        ("since=2020-01-01&until=2100-01-01&subject=operation", {"second reason"}),
    ],
)
def test_entries_are_found_by_who_what_and_when(viewer, entries, query, found):
    page = shown(viewer, query)
    texts = {"first reason", "second reason", "bob is admin now"}
    assert {text for text in texts if text in page} == found
    assert ("Nothing of that kind was done" in page) == (not found)


def test_what_cannot_be_read_is_said_and_the_rest_shown(viewer, entries):
    page = shown(viewer, "since=tomorrow&subject=bees")
    assert "first reason" in page
    assert "The first day" in page


def test_older_entries_keep_what_was_asked_for(viewer):
    AuditEntry.objects.bulk_create(
        AuditEntry(actor="ann", action="pause", target="queue:a") for _ in range(101)
    )
    page = viewer.get("/audit/?who=ann&subject=queue&since=2020-01-01")
    assert page.context["next_url"].startswith("/audit/?who=ann&subject=queue&since=2020-01-01&before=")
    assert len(viewer.get(page.context["next_url"]).context["entries"]) == 1


def test_who_took_a_receipt_or_saved_a_payload_unmasked_is_there(operator, letter):
    operation = ask("discard", filter={})
    operator.get(f"/operations/{operation.pk}/items.csv")
    target = letter(payload={"email": "bob@example.org"})
    operator.get(f"/dead-letters/{target}/raw")
    before = list(AuditEntry.objects.filter(action__startswith="download").values_list("action", flat=True))
    operator.post(f"/dead-letters/{target}/revelations/", {"reason": "asked by bob"})
    operator.get(f"/dead-letters/{target}/raw")
    after = list(AuditEntry.objects.filter(action__startswith="download").values_list("action", flat=True))
    assert (before, after) == (["download receipt"], ["download receipt", "download payload"])
