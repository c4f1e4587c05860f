"""Another threshold is in the audit log before the first operation goes by it."""

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.requests import approval
from tests.operations.conftest import ask


@pytest.fixture(autouse=True)
def noted(monkeypatch):
    monkeypatch.setattr(approval, "THRESHOLDS", ("DLQ_FOUR_EYES_ABOVE", "DLQ_APPROVAL_SECONDS"))
    monkeypatch.setattr(approval, "_last_values", {})


def changes():
    rows = AuditEntry.objects.filter(action="set").order_by("id")
    return [(row.target, *next(iter(row.detail["changes"].values()))) for row in rows]


@pytest.mark.django_db
def test_a_process_that_sees_another_value_says_so_once(letters, settings, monkeypatch, viewer):
    ids = letters(4)
    settings.DLQ_FOUR_EYES_ABOVE, settings.DLQ_APPROVAL_SECONDS = 1_000, 3_600
    ask("discard", ids=ids[:1])
    assert changes() == []
    settings.DLQ_FOUR_EYES_ABOVE = 1_000_000
    for letter_id in ids[1:3]:
        ask("discard", ids=[letter_id])
    assert changes() == [("setting:DLQ_FOUR_EYES_ABOVE", 1_000, 1_000_000)]
    # another process with the same value has nothing to say; one that was not told has
    monkeypatch.setattr(approval, "_last_values", {})
    ask("discard", ids=ids[3:])
    settings.DLQ_APPROVAL_SECONDS = 60
    ask("retry", ids=ids)
    settings.DLQ_FOUR_EYES_ABOVE = 1_000
    ask("restore", ids=ids)
    assert changes()[1:] == [
        ("setting:DLQ_APPROVAL_SECONDS", 3_600, 60), ("setting:DLQ_FOUR_EYES_ABOVE", 1_000_000, 1_000),
    ]  # fmt: skip
    assert "DLQ FOUR EYES ABOVE 1,000 → 1,000,000" in viewer.get("/audit/").content.decode()
