"""A queue's age limit: who sets it, and where its oldest message is told against it."""

from datetime import timedelta

import pytest
from django.db.models import F
from prometheus_client.parser import text_string_to_metric_families

from dlqconsole.core import messages
from dlqconsole.engine.models import AuditEntry, Message, Queue
from dlqconsole.engine.queues import changes as queues
from tests.page_words import words

WHO = {"actor": "user:ann", "reason": "new"}


@pytest.fixture
def waiting(db):
    """waiting("orders", 700, limit=600): its only message has been due for so many seconds."""

    def put(name: str, seconds: int, limit: int | None) -> None:
        queues.create(name, **WHO, age_limit_seconds=limit)
        messages.send(name, b"{}")
        ago = timedelta(seconds=seconds)
        rows = Message.objects.filter(queue=name)
        rows.update(created_at=F("created_at") - ago, next_retry_at=F("next_retry_at") - ago)

    return put


def change(client, **values):
    return client.post("/queues/orders/policy/", {"was_age_limit_seconds": ""} | values)


def test_an_operator_sets_it_with_one_audit_row(operator):
    queues.create("orders", **WHO)
    change(operator, age_limit_seconds="600", reason="promised to shops")
    assert Queue.objects.get().age_limit_seconds == 600
    [_creation, entry] = AuditEntry.objects.order_by("pk")
    assert (entry.action, entry.detail) == ("change", {"changes": {"age_limit_seconds": [None, 600]}})
    assert "Age limit 600 s for the oldest waiting message" in words(operator.get("/queues/orders/"))


def test_a_viewer_sets_none(viewer):
    queues.create("orders", **WHO)
    assert change(viewer, age_limit_seconds="600", reason="x").status_code == 403
    assert Queue.objects.get().age_limit_seconds is None


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "soon", "99999999"])
def test_a_wrong_limit_is_a_sentence(operator, value):
    queues.create("orders", **WHO)
    answer = change(operator, age_limit_seconds=value, reason="x")
    assert answer.status_code == 422
    assert "Age limit, seconds" in words(answer)
    assert Queue.objects.get().age_limit_seconds is None


@pytest.mark.parametrize("address", ["/", "/queues/", "/queues/orders/"])
def test_pages_say_in_words_that_the_oldest_is_over_its_limit_or_within(viewer, waiting, address):
    waiting("orders", 690, limit=600)
    assert "11 min 3" in words(viewer.get(address))
    assert "over the limit of 10 min" in words(viewer.get(address))
    Queue.objects.update(age_limit_seconds=3600)
    assert "within the limit of 1 h" in words(viewer.get(address))
    assert "over the limit" not in words(viewer.get(address))


def test_without_a_limit_the_usual_one_is_told_once_it_is_over(viewer, waiting):
    waiting("orders", 600, limit=None)
    assert "limit of" not in words(viewer.get("/"))
    Message.objects.update(created_at=F("created_at") - timedelta(hours=1))
    Message.objects.update(next_retry_at=F("next_retry_at") - timedelta(hours=1))
    assert "over the limit of 15 min" in words(viewer.get("/"))


def test_the_overview_asks_for_action_where_somebody_set_the_limit(viewer, waiting):
    waiting("orders", 700, limit=600)
    messages.claim("orders", 1, "me", 60)  # somebody consumes it, and one more waits
    messages.send("orders", b"{}")
    ago = timedelta(seconds=700)
    Message.objects.filter(status="pending").update(
        created_at=F("created_at") - ago, next_retry_at=F("next_retry_at") - ago
    )
    texts = [action["text"] for action in viewer.get("/").context["next_actions"]]
    assert any(
        "orders: its oldest message has been due for 11 min 40 s, over the limit of 10 min." in text
        for text in texts
    )


def test_metrics_have_the_limit_where_there_is_one(viewer, waiting):
    waiting("orders", 1, limit=600)
    waiting("other", 1, limit=None)
    families = text_string_to_metric_families(viewer.get("/metrics").content.decode())
    samples = [sample for family in families for sample in family.samples]
    limits = [sample for sample in samples if sample.name == "dlq_queue_age_limit_seconds"]
    assert [(sample.labels, sample.value) for sample in limits] == [({"queue": "orders"}, 600)]
