"""Retry and revive go as fast as what comes back allows: slower, said, and never at all for a few."""

import time

import pytest
from django.urls import reverse

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, Message, PacedType
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.operations import kinds, releasing, run
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pacing import slowed_now
from dlqconsole.operations.preview import preview
from dlqconsole.operations.scope import Matching
from dlqconsole.processing.pacing import pace
from tests.operations.conftest import ask, counts, work

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "order.created"
EVERY = Matching(DeadLetterFilter())


def slow(rate, event_type=TYPE):
    PacedType.objects.create(
        event_type=event_type, rate=rate, floor=1, ceiling=500, why="34 % of 210 came back",
        slowed_at="2026-11-22T17:03:00Z",
    )  # fmt: skip


def done_within(seconds, kind="revive", **given):
    """How many an operation over everything has done after so long."""
    operation = ask(kind, filter={}, **given)
    run.run(operation.pk, seconds)
    operation.refresh_from_db()
    return operation


def test_a_slowed_type_is_revived_at_its_pace_and_the_receipt_says_so(letters, operator):
    letters(200)
    slow(20)
    operation = done_within(1.0)
    assert 15 <= operation.done <= 45, "twenty a second, and what the bucket holds"
    assert operation.status == "running"
    assert slowed_now(operation).sentence == (
        "Slowed to 20 a second since 2026-11-22 17:03 UTC: 34 % of 210 came back"
    )
    receipt = operator.get(reverse("operation", args=[operation.pk])).content.decode()
    assert "Slowed to 20 a second since 2026-11-22 17:03 UTC: 34 % of 210 came back" in receipt
    assert "slowed by itself to 20 a second: 34 % of 210 came back (order.created)" in receipt
    run.run(operation.pk, 0.3)
    assert AuditEntry.objects.filter(action="slow").count() == 1
    PacedType.objects.all().delete()
    work()
    assert counts(operation) == ("completed", 200, 200, 0, 0)
    assert slowed_now(operation) is None


def held_back(letters, number=100, **given):
    """An operation whose undo window is over, and nothing is brought forward yet."""
    letters(number)
    operation = done_within(5, parameters={"undo_seconds": 60}, **given)
    assert operation.done == number, "what is held back goes to no consumer: nothing to slow"
    Operation.objects.update(undo_until="2026-01-01T00:00:00Z", paced_until=None)
    operation.refresh_from_db()
    return operation


def free():
    return Message.objects.exclude(status="held").count()


def test_what_was_held_back_for_the_undo_goes_out_at_the_pace(letters, monkeypatch):
    monkeypatch.setattr(releasing, "WAIT_SECONDS", 0.8)
    slow(20)
    operation = held_back(letters)
    assert slowed_now(operation).rate == 20
    releasing.release_due(time.monotonic() + 5)
    assert 10 <= free() <= 45
    PacedType.objects.all().delete()
    releasing.release_due(time.monotonic() + 5)
    operation.refresh_from_db()
    assert free() == 100
    assert operation.released_at


def test_it_goes_out_no_faster_than_was_asked_and_another_does_not_wait_for_it(letters, monkeypatch):
    monkeypatch.setattr(releasing, "WAIT_SECONDS", 0.5)
    held_back(letters, number=20, rate=50)
    Operation.objects.update(rate=8)
    held_back(letters, number=30)
    releasing.release_due(time.monotonic() + 5)
    assert 30 + 8 <= free() <= 30 + 18
    assert Operation.objects.filter(released_at=None).count() == 1


def test_the_slower_of_what_was_asked_and_the_pace(letters):
    letters(100)
    slow(50)
    assert done_within(0.6, rate=8).done <= 12


def test_a_few_are_never_slowed(letters):
    letters(50)
    slow(1 / 60)
    assert counts(done_within(5)) == ("completed", 50, 50, 0, 0)


def test_a_person_may_switch_it_off_for_one_operation(letters):
    letters(100)
    slow(1 / 60)
    operation = done_within(5, parameters={"full_speed": "on"})
    assert counts(operation) == ("completed", 100, 100, 0, 0)
    assert kinds.get("revive").words(operation.parameters) == ["at full speed, whatever comes back"]


def test_other_kinds_and_other_types_do_not_wait(letters):
    letters(100)
    slow(1 / 60, "order.paid")
    assert done_within(5).done == 100
    slow(1 / 60)
    letters(100)
    assert done_within(5, "discard").done == 100


def test_what_is_skipped_and_what_is_of_another_type_goes_on_until_it_meets_one_that_waits(letters):
    letters(30, event_type="order.paid")
    letters(30, status="SUCCEEDED")
    letters(1)
    letters(30, event_type="order.paid")
    slow(1 / 60)
    PacedType.objects.update(tokens=0)
    operation = done_within(5)
    assert (operation.done, operation.skipped, operation.remaining) == (30, 30, 31)
    assert operation.lease_token is None, "put down: another operation may have the worker"
    PacedType.objects.update(tokens=1)
    operation.refresh_from_db()
    type(operation).objects.update(lease_until="2026-01-01T00:00:00Z")
    run.run(operation.pk, 5)
    assert counts(operation) == ("completed", 91, 61, 30, 0)


def test_retries_teach_the_pace_and_follow_it(letters, monkeypatch, sample_handlers):
    monkeypatch.setattr(pace, "INTERVAL_SECONDS", 0.3)
    monkeypatch.setattr(pace, "FLUSH_SECONDS", 0.1)
    letters(1_000, payload='{"do": "business"}')
    operation = done_within(1.5, "retry")
    row = PacedType.objects.get()
    assert row.rate, "each of them came back"
    assert "100 % of" in row.why
    assert operation.failed < 1_000
    before = operation.failed
    began = time.monotonic()
    run.run(operation.pk, 0.5)
    operation.refresh_from_db()
    assert operation.failed - before <= row.rate * (time.monotonic() - began + 1) + 1
    assert PacedType.objects.get().rate <= row.rate


def test_the_confirm_page_says_how_it_slows_and_what_is_slowed_now(letters, operator):
    letters(60)
    assert preview("revive", EVERY, EVERYTHING).follows_pace
    asked = {"kind": "revive", "scope": "all", "filter": ""}
    said = operator.post(reverse("operation_confirm"), asked).content.decode()
    assert "When more than 20 % of an event type come back" in said
    assert "to 60 a minute at the least; at 500 a second nothing is held back any more" in said
    slow(2 / 60)
    said = operator.post(reverse("operation_confirm"), asked).content.decode()
    assert "order.created: Slowed to 120 an hour since 2026-11-22 17:03 UTC: 34 % of 210 came back." in said
    assert "30 min" in said
    said = operator.post(reverse("operation_confirm"), asked | {"full_speed": "on"}).content.decode()
    assert "Slowed to" not in said
