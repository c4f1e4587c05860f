"""Cancel: at the next page; what is done stays done, the rest is not touched, and the counts add up."""

import random
import time
from functools import partial

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.pages.statements import SetPages
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import leases, run
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.plain_sql import execute
from tests.threads import meanwhile

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_operation_nobody_has_begun_is_cancelled_at_once(letters):
    letters(3)
    operation = ask("revive", filter={})
    assert service.cancel(operation.pk, "bob") is True
    assert counts(operation) == ("cancelled", 0, 0, 0, 0)
    work()
    assert messages() == (0, 0)
    assert AuditEntry.objects.get(action="cancel").actor == "bob"


def test_cancelling_what_is_over_changes_nothing(letters):
    letters(1)
    operation = ask("revive", filter={})
    work()
    assert service.cancel(operation.pk, "bob") is False
    assert counts(operation)[0] == "completed"


def test_it_stops_at_the_next_page(letters, settings, monkeypatch):
    settings.DLQ_OPERATION_PAGE = 10
    letters(100)
    operation = ask("revive", filter={})
    pages, original = [], SetPages.next

    def cancelled_after_three(self: SetPages, after: int):
        pages.append(after)
        if len(pages) == 4:
            service.cancel(operation.pk, "bob")
        return original(self, after)

    monkeypatch.setattr(SetPages, "next", cancelled_after_three)
    run.run(operation.pk)
    assert counts(operation) == ("cancelled", 100, 30, 0, 0)
    assert operation.remaining == 70
    assert statuses() == {"REVIVED": 30, "PENDING": 70}
    assert messages() == (30, 30)


def test_a_cancelled_operation_whose_worker_died_is_ended_by_the_next(letters):
    letters(5)
    operation = ask("revive", filter={})
    held = leases.adopt(operation.pk, "a worker that dies")
    service.cancel(operation.pk, "bob")
    assert counts(operation)[0] == "cancelling"
    _lease_runs_out(held.id)
    work()
    assert counts(operation) == ("cancelled", 0, 0, 0, 0)


def test_at_any_moment_the_counts_are_exact_and_it_stops_in_two_seconds(letters, settings):
    settings.DLQ_OPERATION_PAGE = 20
    for _ in range(20):
        letters(400, event_type="order.created")
        before = statuses().get("REVIVED", 0)
        operation = ask("revive", filter={"status": "PENDING"})
        with meanwhile([partial(run.run, operation.pk)]):
            time.sleep(random.uniform(0, 0.25))
            asked = time.monotonic()
            service.cancel(operation.pk, "bob")
        assert time.monotonic() - asked < 2
        work()
        status, _, done, skipped, failed = counts(operation)
        assert status in ("cancelled", "completed")
        assert (skipped, failed) == (0, 0)
        assert statuses().get("REVIVED", 0) - before == done
        assert messages()[0] == messages()[1] == statuses().get("REVIVED", 0)


def _lease_runs_out(operation_id: int) -> None:
    execute("UPDATE operations SET lease_until = now() - interval '1 s' WHERE id = %s", operation_id)
