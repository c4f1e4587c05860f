"""A purge deletes what is closed, all that belongs to it and nothing else, and leaves a proof."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import retention
from tests.operations.conftest import ask, counts, statuses, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def purge(**given) -> Operation:
    """Ask, approve, and work."""
    operation = ask("purge", **given)
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    work()
    operation.refresh_from_db()
    return operation


def test_only_the_closed_go_and_the_others_say_why_not(letters):
    gone = letters(3, status="DISCARDED") + letters(2, status="SUCCEEDED")
    letters(1), letters(1, status="QUARANTINED"), letters(1, status="REVIVED")
    operation = purge(filter={})
    assert counts(operation) == ("completed", 8, 5, 3, 0)
    assert statuses() == {"PENDING": 1, "QUARANTINED": 1, "REVIVED": 1}
    assert not DeadLetter.objects.filter(pk__in=gone).exists()
    for item in receipt.items(operation.pk, fate="skipped"):
        assert "only what is DISCARDED or SUCCEEDED can be purged" in item.reason


def test_attempts_and_versions_of_what_goes_go_too_and_no_others(letters):
    gone, stays = letters(1, status="DISCARDED") + letters(1)
    for letter_id in (gone, stays):
        execute(
            "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome) VALUES (%s, 'schedule', 'failed')",
            letter_id,
        )
        execute(
            "INSERT INTO payload_versions (dlq_event_id, number, payload) VALUES (%s, 0, '{}')", letter_id
        )
    purge(filter={})
    assert column("SELECT dlq_event_id FROM dlq_attempts") == [stays]
    assert column("SELECT dlq_event_id FROM payload_versions") == [stays]


def test_the_audit_log_proves_what_went_without_a_payload(letters):
    letters(3, status="DISCARDED", payload='{"secret": "squirrel"}')
    gone = [
        f"{pk}:{version}" for pk, version in DeadLetter.objects.order_by("id").values_list("pk", "version")
    ]
    operation = purge(filter={})
    proof = AuditEntry.objects.get(action="purged", operation_id=operation.pk)
    assert proof.detail["rows"] == 3
    assert proof.detail["sha256_of_ids_and_versions"] == hashlib.sha256(",".join(gone).encode()).hexdigest()
    assert "squirrel" not in str(list(AuditEntry.objects.values_list("detail", flat=True)))


def test_what_was_changed_after_the_purge_was_asked_for_stays(letters):
    changed, same = letters(2, status="DISCARDED")
    operation = ask("purge", filter={})
    execute("UPDATE dlq_events SET headers = '{\"note\": 1}' WHERE id = %s", changed)
    Operation.objects.update(alone_up_to=2**31 - 1)
    work()
    assert counts(operation) == ("completed", 2, 1, 1, 0)
    assert receipt.items(operation.pk, fate="skipped")[0].dead_letter_id == changed
    assert not DeadLetter.objects.filter(pk=same).exists()


def test_a_purge_waits_for_approval(letters):
    letters(1, status="DISCARDED")
    operation = ask("purge", filter={}, expected=1)
    work()
    operation.refresh_from_db()
    assert operation.status == Status.AWAITING
    assert statuses() == {"DISCARDED": 1}


def make_old(days: float) -> None:
    execute(
        "ALTER TABLE dlq_events DISABLE TRIGGER USER;"
        f" UPDATE dlq_events SET created_at = now() - interval '{days} days',"
        f" updated_at = now() - interval '{days} days';"
        " ALTER TABLE dlq_events ENABLE TRIGGER USER"
    )


def test_retention_purges_what_is_old_and_closed_with_a_receipt_of_its_own(letters, settings):
    settings.DLQ_RETENTION_DAYS = 30
    letters(2, status="DISCARDED"), letters(1)
    make_old(31)
    (fresh,) = letters(1, status="DISCARDED")
    operation = retention.purge_expired()
    assert retention.purge_expired() is None
    work()
    assert counts(operation) == ("completed", 2, 2, 0, 0)
    assert operation.actor == "retention"
    assert set(DeadLetter.objects.values_list("status", flat=True)) == {"PENDING", "DISCARDED"}
    assert DeadLetter.objects.filter(pk=fresh).exists()
    assert retention.purge_expired() is None
    assert AuditEntry.objects.filter(actor="retention", action="request purge").count() == 1


def test_without_a_policy_nothing_is_ever_deleted(letters):
    letters(1, status="DISCARDED")
    make_old(10_000)
    assert retention.purge_expired() is None
    assert retention.remaining(DeadLetter.objects.get()) is None


def test_the_countdown_runs_for_what_is_closed_only(letters, settings):
    settings.DLQ_RETENTION_DAYS = 30
    letter = DeadLetter(status="DISCARDED", updated_at=timezone.now() - timedelta(days=10))
    assert timedelta(days=19, hours=23) < retention.remaining(letter) <= timedelta(days=20)
    letter.updated_at -= timedelta(days=100)
    assert retention.remaining(letter) == timedelta(0)
    letter.status = "PENDING"
    assert retention.remaining(letter) is None
