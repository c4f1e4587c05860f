"""A job that failed in its own worker becomes a dead letter, and a revive lets the same job run again."""

import pytest

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.operations.conftest import work
from tests.transports.jobs.workers import Declined

pytestmark = pytest.mark.django_db(transaction=True)


def revive(letter):
    """Revive it by an operation of the console."""
    ask_for("revive", actor=ALICE, ids=[letter.pk])
    work()
    return relay.run_once()


def attempts(letter):
    rows = Attempt.objects.filter(dlq_event_id=letter.pk).order_by("pk")
    return [(row.kind, row.outcome) for row in rows]


def test_a_failed_job_is_revived_and_succeeds(workers, attached):
    job = workers.fail({"order_id": 7})
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.queue, letter.source, letter.source_key) == (workers.name, workers.name, str(job))
    assert (letter.payload, letter.status, letter.occurrences) == ({"order_id": 7}, "EXHAUSTED", 1)
    assert revive(letter)["forwarded"] == 1
    assert workers.state(job) == workers.waiting
    assert relay.run_once()["left"] == 0
    assert workers.work() == [{"order_id": 7}]
    assert relay.run_once()["left"] == 1
    letter.refresh_from_db()
    assert letter.status == DeadLetterStatus.SUCCEEDED
    assert not ForwardedMessage.objects.exists()
    assert attempts(letter) == [("queue", "failed"), ("revive", "succeeded")]


def test_what_fails_again_is_the_next_attempt_of_the_same_row(workers, attached):
    job = workers.fail({"order_id": 7})
    relay.run_once()
    letter = DeadLetter.objects.get()
    for number in (2, 3):
        revive(letter)
        workers.work(Declined("declined again"))
        assert relay.run_once()["dead-lettered"] == 1
        letter = DeadLetter.objects.get()
        assert (letter.status, letter.occurrences, letter.revive_count) == ("EXHAUSTED", number, number - 1)
        assert workers.state(job) == workers.failed
    assert attempts(letter) == [("queue", "failed"), ("revive", "failed"), ("revive", "failed")]
    revive(letter)
    workers.work()
    relay.run_once()
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_nothing_is_told_twice(workers, attached):
    workers.fail({"order_id": 7})
    assert [relay.run_once()["dead-lettered"] for _ in range(3)] == [1, 0, 0]
    assert Attempt.objects.count() == 1


def test_procrastinate_notes_what_a_job_was_and_no_exception(procrastinate):
    attachments.attach(procrastinate.name, actor="test")
    job = procrastinate.fail({"order_id": 7}, lock="customer-7", queueing_lock="once", priority=3)
    relay.run_once()
    letter = DeadLetter.objects.get()
    assert (letter.event_type, letter.error_class, letter.error_stacktrace) == (
        "shop.charge",
        "JobFailed",
        "",
    )
    assert "procrastinate keeps no exception" in letter.error_reason
    assert letter.headers == {
        "procrastinate-queue": "billing",
        "procrastinate-task": "shop.charge",
        "procrastinate-job": job,
        "procrastinate-attempts": 1,
        "procrastinate-priority": 3,
        "procrastinate-lock": "customer-7",
        "procrastinate-queueing-lock": "once",
    }


def test_pgqueuer_notes_the_exception_with_its_traceback(pgqueuer):
    attachments.attach(pgqueuer.name, actor="test")
    pgqueuer.fail({"order_id": 7}, dedupe_key="order-7", headers={"trace": "t1"})
    relay.run_once()
    letter = DeadLetter.objects.get()
    assert (letter.event_type, letter.error_class) == ("billing", "Declined")
    assert letter.error_reason == "Declined: the card was declined"
    assert "Traceback (most recent call last)" in letter.error_stacktrace
    assert {
        "trace": "t1",
        "pgqueuer-dedupe-key": "order-7",
        "pgqueuer-attempts": 1,
    }.items() <= letter.headers.items()


def test_what_pgqueuer_deletes_is_no_dead_letter(pgqueuer):
    """Its payload is gone: nobody could retry it."""
    attachments.attach(pgqueuer.name, actor="test")
    pgqueuer.add({"order_id": 7})
    pgqueuer.work(Declined("no"), on_failure="delete")
    assert relay.run_once()["dead-lettered"] == 0
    assert not DeadLetter.objects.exists()
