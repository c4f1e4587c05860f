"""The audit page and the figures say how the log itself stands."""

import pytest

from dlqconsole.contrib.sealing import checks, seals
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from tests.contrib.sealing.conftest import as_owner, cover_up, run

pytestmark = pytest.mark.django_db


def shown(client, query=""):
    return client.get(f"/audit/?{query}").content.decode()


@pytest.fixture
def entries(viewer):
    for target in ("queue:a", "queue:b", "queue:c"):
        audit.record("ann", "pause", target)


def test_how_the_log_stands_is_said(viewer, entries):
    assert "Nothing is sealed yet" in shown(viewer)
    seals.seal()
    last = AuditEntry.objects.order_by("-pk").first().pk
    assert f"Sealed up to row {last:,}," in shown(viewer)
    assert "Never verified" in shown(viewer)
    checks.check()
    assert "what was sealed is what it was" in shown(viewer)
    assert "sealed entries are what they were" in shown(viewer, "subject=audit")
    with as_owner():
        run(f"UPDATE audit_log SET reason = 'x' WHERE id = {last}")
        cover_up()
        checks.check()
        assert "compared: 1 difference" in shown(viewer)
        assert "note error" in shown(viewer)


def test_a_seal_that_is_late_is_said(viewer):
    run(
        "INSERT INTO audit_log (at, actor, action, target)"
        " VALUES (now() - interval '2 hours', 'a', 'pause', 'queue:a')"
    )
    assert "is the beat running?" in " ".join(shown(viewer).split())


def test_metrics_say_how_the_log_stands(viewer, entries):
    figures = viewer.get("/metrics").content.decode()
    assert "dlq_audit_sealed_up_to_row 0.0" in figures
    assert "dlq_audit_unsealed_rows 3.0" in figures
    assert "dlq_audit_differences " not in figures
    seals.seal()
    checks.check()
    last = AuditEntry.objects.order_by("-pk").first().pk
    figures = viewer.get("/metrics").content.decode()
    assert f"dlq_audit_sealed_up_to_row {last - 1}.0" in figures
    assert "dlq_audit_seal_number 1.0" in figures
    assert "dlq_audit_differences 0.0" in figures
    assert "dlq_audit_verified_timestamp_seconds 1." in figures
