"""Tools of the other system act between a failure and its revive: told, and not done twice."""

import pytest
from django.db import transaction

from dlqconsole.engine.models import Attempt, DeadLetter, Message
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from tests.plain_sql import execute, value
from tests.transports.jobs.workers import Declined
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def job(workers, attached):
    """A failed job, which is a dead letter."""
    job = workers.fail({"order_id": 7})
    relay.run_once()
    return job


def revive():
    letter = DeadLetter.objects.get()
    assert value("SELECT dead_letter_revive(%s)", letter.pk)
    return relay.run_once()


def told():
    return Attempt.objects.order_by("pk").last()


def test_a_job_that_was_retried_there_is_followed_and_not_retried_once_more(workers, job):
    workers.retry(job)
    revive()
    assert workers.work() == [{"order_id": 7}]
    relay.run_once()
    assert (DeadLetter.objects.get().status, told().outcome) == ("SUCCEEDED", "succeeded")
    assert workers.work() == []


def test_a_job_that_was_retried_there_and_succeeded_closes_its_dead_letter(workers, job):
    workers.retry(job)
    workers.work()
    relay.run_once()
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    assert told().worker == f"{workers.prefix}, retried there by other means"


def test_a_job_that_was_retried_there_and_failed_again_is_one_occurrence_more(workers, job):
    workers.retry(job)
    workers.work(Declined("again"))
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.occurrences) == ("EXHAUSTED", 2)


def test_a_job_that_was_deleted_there_cannot_be_revived_and_says_so(workers, job):
    workers.delete(job)
    revive()
    letter = DeadLetter.objects.get()
    assert letter.status != "REVIVED"
    assert letter.error_reason == f"NotForwarded: {workers.name} did not take it: job {job} is no more there"
    assert not ForwardedMessage.objects.exists()
    assert not Message.objects.exists()


def test_a_payload_that_was_edited_here_is_not_quietly_ignored(workers, job):
    execute("""UPDATE dlq_events SET payload = '{"order_id": 8}'""")
    revive()
    assert "its payload is not the job's" in DeadLetter.objects.get().error_reason
    assert workers.state(job) == workers.failed


def test_a_message_that_is_no_job_s_is_a_dead_letter_that_says_so(workers, attached):
    Message.objects.create(queue=workers.name, payload={"order_id": 7})
    relay.run_once()
    assert "it is no job that failed there" in DeadLetter.objects.get().error_reason


def test_a_lower_number_of_the_log_that_is_committed_later_is_not_passed_over(procrastinate, with_others):
    """Two workers end their jobs at once; the first to begin commits last."""
    attachments.attach(procrastinate.name, actor="test")
    slow, quick = procrastinate.add({"n": 1}), procrastinate.add({"n": 2})
    with procrastinate.session() as first, procrastinate.session() as second:
        for session, job in ((first, slow), (second, quick)):
            session.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = %s", [job])
            session.execute("SELECT procrastinate_finish_job_v1(%s, 'failed', false)", [job])
        second.commit()
        early = [relay.run_once()["dead-lettered"] for _ in range(2)]
        first.commit()
    assert sum(early) == 0
    eventually(lambda: relay.run_once() and DeadLetter.objects.count() == 2)


def test_a_queueing_lock_of_theirs_holds(procrastinate):
    attachments.attach(procrastinate.name, actor="test")
    job = procrastinate.fail({"order_id": 7}, queueing_lock="once")
    relay.run_once()
    procrastinate.add({"order_id": 8}, queueing_lock="once")
    revive()
    letter = DeadLetter.objects.get()
    assert letter.error_reason.endswith("a job with the same queueing lock waits there already")
    assert (letter.status, procrastinate.state(job)) == ("PENDING", "failed")


def test_a_dedupe_key_of_theirs_holds(pgqueuer):
    attachments.attach(pgqueuer.name, actor="test")
    job = pgqueuer.fail({"order_id": 7}, dedupe_key="order-7")
    relay.run_once()
    pgqueuer.add({"order_id": 8}, dedupe_key="order-7")
    revive()
    assert DeadLetter.objects.get().error_reason.endswith(
        "a job with the same dedupe key waits there already"
    )
    assert pgqueuer.state(job) == "failed"


def test_a_worker_that_deletes_what_succeeded_closes_the_dead_letter(procrastinate):
    attachments.attach(procrastinate.name, actor="test")
    procrastinate.fail({"order_id": 7})
    relay.run_once()
    revive()
    procrastinate.work(delete_jobs="successful")
    relay.run_once()
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_a_revived_job_that_is_cancelled_there_returns(pgqueuer):
    attachments.attach(pgqueuer.name, actor="test")
    job = pgqueuer.fail({"order_id": 7})
    relay.run_once()
    revive()
    pgqueuer.delete(job)
    relay.run_once()
    letter = DeadLetter.objects.get()
    assert (letter.status, told().outcome) == ("EXHAUSTED", "lost")
    assert "the job is no more there" in told().error_reason


def test_a_page_is_one_transaction(workers, attached):
    """What is rolled back here is read again."""
    workers.fail({"order_id": 7})
    with transaction.atomic():
        relay.run_once()
        transaction.set_rollback(True)
    assert relay.run_once()["dead-lettered"] == 1
