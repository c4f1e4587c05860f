"""A replay of what passed a rehearsal."""

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.operations.models import OperationItem
from dlqconsole.operations.pages import on_spark
from tests.operations.conftest import ask, counts, work
from tests.operations.test_replay import BAD, GOOD, pipeline, pipeline_settings, until_asked  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_what_passed_a_rehearsal_is_tried(letters, pipeline, monkeypatch):  # noqa: F811
    """The process begins before all is looked through: it asks by itself what passed."""
    monkeypatch.setattr(on_spark.ReplayPages, "page_rows", 1)
    passed, edited = letters(2, payload=GOOD)
    letters(2, payload=BAD)
    rehearsal = ask("rehearse", filter={}, expected=4)
    work()
    DeadLetter.objects.filter(pk=edited).update(payload={"order_id": 2})
    letters(1, payload=GOOD)
    operation = ask("replay", filter={}, expected=5, parameters={"rehearsal": str(rehearsal.pk)})
    until_asked()
    pipeline()
    assert [*Attempt.objects.filter(kind="replay").values_list("dlq_event_id", flat=True)] == [passed]
    work()
    assert counts(operation) == ("completed", 5, 1, 4, 0)
    reasons = OperationItem.objects.filter(operation=operation, status="skipped").values_list(
        "reason", flat=True
    )
    assert sorted(reason.split(f" {rehearsal.pk}")[0] for reason in reasons) == [
        "changed since operation", "did not pass in operation", "did not pass in operation",
        "is no part of operation",
    ]  # fmt: skip
