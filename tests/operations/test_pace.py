"""An operation is slowed by its own failures alone, a group at a time, and for a few never at all."""

import time

import pytest
from django.urls import reverse

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message, PacedGroup, Queue
from dlqconsole.operations import kinds, tasks
from dlqconsole.operations.models import Operation, OperationItem, Status
from dlqconsole.operations.requests.pace import slowed_groups
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.operations.work import pacing, releasing, run
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "order.created"
GOOD, BAD, MISSING = '{"order_id": 1}', '{"do": "business"}', '{"do": "missing"}'
HOPELESS = "Hopeless: no"
EVERY = Matching(DeadLetterFilter())
# what may have been begun of what is hopeless: the first ones, and a token or two
HELD = 100


def group_of(reason="Refused: no"):
    """The failure group of the dead letters with such a reason."""
    return DeadLetter.objects.filter(error_reason=reason).values_list("group_id", flat=True)[0]


def slow(rate, operation=0, reason="Refused: no"):
    """Write down that a group is slowed, by the schedule or for one operation."""
    PacedGroup.objects.create(
        operation_id=operation, event_type="" if operation else TYPE, group_id=group_of(reason), rate=rate,
        floor=1, ceiling=500, share=0.34, why="34 % of 210 failed again", slowed_at="2026-11-22T17:03:00Z",
    )  # fmt: skip


def done_within(seconds, kind="revive", **given):
    """An operation over everything after so long."""
    operation = ask(kind, filter={}, **given)
    run.run(operation.pk, seconds)
    operation.refresh_from_db()
    return operation


def meanwhile_consumed(operation, until, seconds=60, retries=0):
    """Let a worker and a consumer take turns until it is so."""
    Queue.objects.update_or_create(name=TYPE, defaults={"max_retries": retries})
    deadline = time.monotonic() + seconds
    while not until():
        Operation.objects.filter(pk=operation.pk).update(lease_until=None)
        run.run(operation.pk, 0.2)
        Consumer([TYPE], batch=50).run(until_empty=True)
        operation.refresh_from_db()
        assert time.monotonic() < deadline, list(PacedGroup.objects.values())


def ended(operation):
    return lambda: operation.status == Status.COMPLETED


def slowed(operation):
    return lambda: PacedGroup.objects.filter(operation_id=operation.pk, rate__isnull=False).exists()


@pytest.fixture
def patient(monkeypatch):
    """Silence lets nothing go on: only outcomes do."""
    monkeypatch.setattr(pacing, "SILENT_SECONDS", 1_000.0)


def test_neither_the_schedule_nor_another_operation_slows_it(letters):
    letters(200)
    slow(1 / 60)
    slow(1 / 60, operation=77)
    assert counts(done_within(20)) == ("completed", 200, 200, 0, 0)


def test_it_takes_no_token_of_the_schedule_and_gives_none(letters, sample_handlers):
    letters(60, payload=BAD)
    slow(5)
    before = PacedGroup.objects.filter(operation_id=0).values()[0]
    work_on = ask("retry", filter={})
    work()
    assert counts(work_on) == ("completed", 60, 0, 0, 60)
    assert PacedGroup.objects.filter(operation_id=0).values()[0] == before


def test_what_is_healthy_doubles_with_each_round(letters, sample_handlers, patient):
    letters(600, payload=GOOD)
    operation = ask("revive", filter={})
    handed_out = []
    while operation.status != Status.COMPLETED:
        run.run(operation.pk, 0.2)
        operation.refresh_from_db()
        handed_out.append(operation.done)
        Operation.objects.filter(pk=operation.pk).update(lease_until=None)
        Consumer([TYPE], batch=50).run(until_empty=True)
        assert len(handed_out) < 20
    assert handed_out[:4] == [50, 150, 350, 600]


@pytest.mark.parametrize("retries", [0, 5])
def test_what_comes_back_is_held_to_the_floor_and_nobody_waits_behind_it(
    letters, sample_handlers, patient, retries
):
    letters(400, payload=BAD if not retries else MISSING, reason=HOPELESS)
    healthy = letters(300, payload=GOOD)
    operation = ask("revive", filter={})
    meanwhile_consumed(
        operation,
        lambda: DeadLetter.objects.filter(pk__in=healthy, status="SUCCEEDED").count() == 300,
        retries=retries,
    )
    meanwhile_consumed(operation, slowed(operation), retries=retries)
    row = PacedGroup.objects.get(operation_id=operation.pk, rate__isnull=False)
    assert (row.group_id, row.rate) == (group_of(HOPELESS), 1.0)
    assert operation.done - 300 <= HELD
    assert [each.name for each in slowed_groups(operation)] == [f"{TYPE}, Hopeless"]
    assert "of 50 failed again" in slowed_groups(operation)[0].sentence


def test_where_nobody_tells_anything_it_goes_on_with_time(letters):
    letters(500)
    assert counts(done_within(20)) == ("completed", 500, 500, 0, 0)
    assert Message.objects.count() == 500


def test_what_waits_in_silence_leaves_its_worker_to_others(letters, patient, monkeypatch):
    monkeypatch.setattr(pacing, "QUIET_SECONDS", 0.0)
    letters(200)
    operation = done_within(20)
    assert (operation.done, operation.status, operation.lease_token) == (50, "running", None)


def test_an_item_waits_for_an_earlier_one_of_its_ordering_key(letters, patient):
    first = letters(60, reason=HOPELESS)
    later = letters(60)
    execute("UPDATE dlq_events SET group_key = 'one' WHERE id = ANY (%s)", [first[55], later[0]])
    operation = ask("revive", filter={})
    run.run(operation.pk, 0.0)  # frozen
    Operation.objects.update(lease_until=None)
    slow(1 / 60, operation=operation.pk, reason=HOPELESS)
    PacedGroup.objects.update(tokens=0)
    run.run(operation.pk, 1)
    moved = set(OperationItem.objects.filter(status="done").values_list("dead_letter_id", flat=True))
    assert moved, "the others of its group go on"
    assert later[0] not in moved
    assert not moved & set(first)


def test_items_that_somebody_else_settled_take_no_room(letters, patient):
    settled = letters(150, reason=HOPELESS)
    letters(1, reason=HOPELESS)
    operation = ask("revive", filter={})
    run.run(operation.pk, 0.0)  # frozen
    execute("UPDATE dlq_events SET status = 'DISCARDED' WHERE id = ANY (%s)", [settled])
    Operation.objects.update(lease_until=None)
    slow(1 / 60, operation=operation.pk, reason=HOPELESS)
    PacedGroup.objects.update(tokens=1)
    run.run(operation.pk, 5)
    assert counts(operation) == ("completed", 151, 1, 150, 0)


def test_a_retry_is_slowed_by_what_comes_back_of_it_alone(letters, sample_handlers):
    letters(300, payload=BAD, reason=HOPELESS)
    letters(100, payload=GOOD)
    operation = ask("retry", filter={})
    deadline = time.monotonic() + 60
    while operation.done < 100:
        run.run(operation.pk, 2)
        Operation.objects.update(lease_until=None)
        operation.refresh_from_db()
        assert time.monotonic() < deadline
    assert 20 <= operation.failed <= HELD
    assert [each.rate for each in slowed_groups(operation)] == [1.0]


def test_three_in_ten_that_fail_hold_nothing_to_the_floor(letters, sample_handlers, patient):
    letters(210, payload=GOOD)
    letters(90, payload=BAD)
    execute("UPDATE dlq_events SET id = id + 100000 WHERE id % 2 = 0")  # mixed
    operation = ask("revive", filter={})
    meanwhile_consumed(operation, ended(operation), seconds=30)
    assert operation.done == 300


def test_the_receipt_says_who_is_slowed_by_what_and_lets_it_go_on_at_full_speed(letters, operator, viewer):
    letters(200)
    operation = ask("revive", filter={})
    run.run(operation.pk, 0.0)  # frozen
    slow(1 / 60, operation=operation.pk)
    PacedGroup.objects.update(tokens=0)
    Operation.objects.update(lease_until=None)
    run.run(operation.pk, 0.5)
    address = reverse("dlq:operation", args=[operation.pk])
    said = operator.get(address).content.decode()
    sentence = "Slowed to 60 an hour since 2026-11-22 17:03 UTC: 34 % of 210 failed again"
    assert sentence in " ".join(said.split())
    assert "As slow as now, the 200 that remain take 3 h 20 min at most." in said
    assert reverse("dlq:group", args=[group_of()]) in said
    assert "slowed by itself to 60 an hour: 34 % of 210 failed again" in said
    assert AuditEntry.objects.filter(action="slow").count() == 1
    free = reverse("dlq:operation_full_speed", args=[operation.pk])
    assert free in said
    assert free not in viewer.get(address).content.decode()
    assert viewer.post(free).status_code == 403
    operator.post(free)
    [entry] = AuditEntry.objects.filter(action="full speed")
    assert entry.actor.startswith("user:")
    Operation.objects.update(lease_until=None)
    run.run(operation.pk, 20)
    assert counts(operation) == ("completed", 200, 200, 0, 0)
    assert slowed_groups(operation) == []
    said = operator.post(free, follow=True).content.decode()
    assert "It was not slowed, or is over; nothing was changed." in said


def held_back(letters, number=100, **given):
    """An operation whose undo window is over, and nothing is brought forward yet."""
    letters(number)
    number = DeadLetter.objects.filter(status="PENDING").count()
    operation = done_within(5, parameters={"undo_seconds": 60}, **given)
    assert operation.done == number, "what is held back goes to no consumer: nothing to slow"
    Operation.objects.update(undo_until="2026-01-01T00:00:00Z", paced_until=None)
    operation.refresh_from_db()
    return operation


def free():
    return Message.objects.exclude(status="held").count()


def test_what_was_held_back_for_the_undo_goes_out_as_its_come_backs_allow(letters, monkeypatch):
    monkeypatch.setattr(releasing, "WAIT_SECONDS", 0.8)
    letters(30, reason=HOPELESS)
    operation = held_back(letters)
    slow(1 / 60, operation=operation.pk, reason=HOPELESS)
    PacedGroup.objects.update(tokens=0)
    assert slowed_groups(operation)[0].rate == 1 / 60
    releasing.release_due(time.monotonic() + 5)
    assert free() == 100, "the others did not wait"
    operation.refresh_from_db()
    assert operation.released_at is None
    PacedGroup.objects.update(rate=None)
    releasing.release_due(time.monotonic() + 5)
    operation.refresh_from_db()
    assert free() == 130
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
    assert done_within(0.6, rate=8).done <= 12


def test_a_few_are_never_slowed(letters):
    letters(50)
    operation = ask("revive", filter={})
    slow(1 / 60, operation=operation.pk)
    run.run(operation.pk, 5)
    assert counts(operation) == ("completed", 50, 50, 0, 0)


def test_a_person_may_switch_it_off_for_one_operation(letters):
    letters(100)
    operation = ask("revive", filter={}, parameters={"full_speed": "on"})
    slow(1 / 60, operation=operation.pk)
    run.run(operation.pk, 5)
    assert counts(operation) == ("completed", 100, 100, 0, 0)
    assert kinds.get("revive").words(operation.parameters) == ["ignores automatic slowing"]
    assert column("SELECT sum(handed_out) FROM paces") == [0]


def test_other_kinds_do_not_wait(letters):
    letters(100)
    operation = ask("discard", filter={})
    slow(1 / 60, operation=operation.pk)
    run.run(operation.pk, 5)
    assert counts(operation) == ("completed", 100, 100, 0, 0)


def test_the_confirm_page_says_what_came_back_of_it_before_and_one_estimate(letters, operator):
    letters(60)
    assert preview("revive", EVERY).follows_pace
    asked = {"kind": "revive", "scope": "all", "filter": ""}
    said = operator.post(reverse("dlq:operation_confirm"), asked).content.decode()
    assert "When more than 20 % of a failure group fail again" in said
    assert "to 60 a minute where all of it fails again; at 500 a second nothing is held back any more" in said
    assert "unknown: none like it has been measured yet" in said
    slow(2 / 60)
    execute(
        "INSERT INTO queue_activity (queue, minute, completed)"
        " VALUES ('order.created', now() - interval '20 minutes', 120)"
    )
    said = operator.post(reverse("dlq:operation_confirm"), asked).content.decode()
    assert (
        "order.created, Refused: of what the schedule tried, 34 % of 210 failed again. If as many fail again"
        " here, that group is slowed to 169 a second, and the others go on."
    ) in said
    assert "at most 30 s: their consumers did 120 a minute lately, or had no more to do" in said
    assert "nothing slows it" in said
    said = operator.post(reverse("dlq:operation_confirm"), asked | {"full_speed": "on"}).content.decode()
    assert "of what the schedule tried" not in said
    letters(1, reason="Another: group of the same type")
    asked |= {"filter": "reason=Another"}
    said = operator.post(reverse("dlq:operation_confirm"), asked).content.decode()
    assert "of what the schedule tried" not in said, "none of these is in the slowed group"


def test_the_paces_of_old_operations_go_and_the_schedule_keeps_its_own(letters):
    letters(60)
    done_within(20)
    slow(1)
    tasks.tidy()
    assert PacedGroup.objects.count() == 2
    PacedGroup.objects.update(noted_at="2026-01-01T00:00:00Z")
    tasks.tidy()
    assert [row.operation_id for row in PacedGroup.objects.all()] == [0]
