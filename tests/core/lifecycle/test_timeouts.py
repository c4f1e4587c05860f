"""An event whose handler did not end in its time five times is quarantined, whoever ran it."""

import json

import pytest

from dlqconsole.core.lifecycle.failures import MAX_TIMEOUTS, Backoff, QueuePolicy
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.models import Attempt, DeadLetter, Message
from dlqconsole.retries import run
from dlqconsole.retries import run as retry_run
from tests.core.lifecycle.test_failure import consume, revive
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

PATIENT = QueuePolicy(max_retries=20, backoff=Backoff(0.0, 0.0))
SLOW = {"do": "sleep", "seconds": 600}


@pytest.fixture(autouse=True)
def _soon(settings, monkeypatch):
    monkeypatch.setattr(retry_run, "LOCK_AT_LEAST_SECONDS", 0.0)
    settings.DLQ_HANDLER_TIMEOUT = 0.02
    settings.DLQ_RETRY_BACKOFF_BASE = settings.DLQ_RETRY_BACKOFF_CAP = 0


def test_on_its_queue_the_fifth_is_the_last(send):
    send(**SLOW)
    became = [consume(policy=PATIENT) for _ in range(MAX_TIMEOUTS)]
    assert became == [ClaimResult.LATER] * (MAX_TIMEOUTS - 1) + [ClaimResult.DEAD]
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class, letter.crash_count) == ("QUARANTINED", "HandlerTimeout", 0)
    assert not Message.objects.exists()


def test_what_timed_out_on_its_queue_counts_in_the_schedule(send):
    send(**SLOW)
    few = QueuePolicy(max_retries=2, backoff=Backoff(0.0, 0.0))
    assert [consume(policy=few) for _ in range(3)] == [ClaimResult.LATER, ClaimResult.LATER, ClaimResult.DEAD]
    run.run()
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class) == ("QUARANTINED", "HandlerTimeout")
    assert Attempt.objects.filter(outcome="failed").count() == MAX_TIMEOUTS


def test_other_failures_do_not_count(send):
    send(do="transient")
    assert {consume(policy=PATIENT) for _ in range(MAX_TIMEOUTS + 1)} == {ClaimResult.LATER}


def test_a_revived_one_that_times_out_again_goes_back_to_a_person(send):
    send(**SLOW)
    for _ in range(MAX_TIMEOUTS):
        consume(policy=PATIENT)
    revive(DeadLetter.objects.get().pk)
    assert consume(policy=PATIENT) == ClaimResult.DEAD
    assert DeadLetter.objects.get().status == "QUARANTINED"
    assert Attempt.objects.filter(outcome="failed").count() == MAX_TIMEOUTS + 1


def test_the_first_failure_of_what_was_reported_counts(sample_handlers):
    """As an ingest does, which writes a dead letter and no message."""
    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason, error_category) VALUES"
        " ('order.created', %s, 'HandlerTimeout: the handler did not finish within 9 s', 'TRANSIENT')",
        json.dumps(SLOW),
    )
    run.run()
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class) == ("QUARANTINED", "HandlerTimeout")
    assert Attempt.objects.filter(outcome="failed").count() == MAX_TIMEOUTS
