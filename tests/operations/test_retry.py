"""Retry: the handlers run here and now, each dead letter by itself."""

from contextlib import suppress

import pytest

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, EnrichedEvent
from dlqconsole.operations.pages.retrying import RetryPages
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_can_heal_heals_and_the_rest_says_why_not(letters):
    letters(3, payload='{"order_id": 1}')
    letters(2, payload='{"do": "business"}')
    letters(1, status="SUCCEEDED")
    operation = ask("retry", filter={}, expected=6)
    work()
    assert counts(operation) == ("completed", 6, 3, 1, 2)
    found = {(outcome.status, outcome.reason): outcome.count for outcome in receipt.outcomes(operation.pk)}
    assert found == {
        ("done", ""): 3,
        ("skipped", "has already SUCCEEDED"): 1,
        ("failed", "PlaneUnknown: tailnum N1 is not in the planes table"): 2,
    }
    assert statuses() == {"SUCCEEDED": 4, "PENDING": 2}
    assert EnrichedEvent.objects.count() == 3


def test_each_attempt_is_kept_and_counted(letters):
    (letter_id,) = letters(1, payload='{"do": "transient"}')
    ask("retry", ids=[letter_id])
    work()
    letter = DeadLetter.objects.get(pk=letter_id)
    assert (letter.status, letter.retry_count, letter.occurrences) == ("PENDING", 1, 2)
    reported, attempt = Attempt.objects.filter(dlq_event_id=letter_id).order_by("id")
    assert (reported.kind, reported.error_reason) == ("reported", "Refused: no")
    assert (attempt.kind, attempt.outcome) == ("operation", "failed")
    assert attempt.error_reason == "Hiccup: try again"
    assert attempt.started_at <= attempt.finished_at


def test_a_person_may_retry_what_no_machine_does(letters):
    ids = letters(1, status="EXHAUSTED") + letters(1, status="QUARANTINED")
    operation = ask("retry", ids=ids)
    work()
    assert counts(operation) == ("completed", 2, 2, 0, 0)


def test_an_exhausted_letter_that_fails_again_stays_exhausted(letters):
    (letter_id,) = letters(1, payload='{"do": "transient"}', status="EXHAUSTED", retry_count=240)
    ask("retry", ids=[letter_id])
    work()
    assert statuses() == {"EXHAUSTED": 1}


def test_cancel_takes_effect_between_two_rows(letters, monkeypatch):
    letters(10, payload="{}")
    operation = ask("retry", filter={})
    original, handled = dead_letters.handle_claim, []

    def cancel_at_the_third(claim):
        handled.append(claim.id)
        if len(handled) == 3:
            service.cancel(operation.pk, "bob")
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", cancel_at_the_third)
    run.run(operation.pk)
    assert counts(operation) == ("cancelled", 10, 3, 0, 0)
    assert statuses() == {"SUCCEEDED": 3, "PENDING": 7}


def test_a_slice_ends_between_two_rows_and_another_goes_on(letters):
    letters(20, payload='{"do": "sleep", "seconds": 0.05}')
    operation = ask("retry", filter={})
    handling.registry()  # loaded beforehand: the first import takes longer than the slice
    run.run(operation.pk, seconds=0.4)
    status, _, done, _, _ = counts(operation)
    assert status == "running"
    assert 0 < done < 20
    work()
    assert counts(operation) == ("completed", 20, 20, 0, 0)


def test_what_a_dead_worker_held_is_waited_for_and_done_again(letters):
    first, second = letters(2)
    operation = ask("retry", filter={})
    run.run(operation.pk, seconds=0)  # frozen
    (claim,) = claims.claim_these([first], "a worker that dies", 60, operation.pk)
    run.run(operation.pk)
    assert counts(operation) == ("running", 2, 1, 0, 0)
    assert "locked by another session or worker" in operation.note
    execute("UPDATE dlq_events SET lease_until = now() - interval '1 s' WHERE id = %s RETURNING id", claim.id)
    work()
    assert counts(operation) == ("completed", 2, 2, 0, 0)
    assert list(Attempt.objects.filter(dlq_event_id=first).order_by("id").values_list("kind", flat=True)) == [
        "crash",
        "operation",
    ]
    assert DeadLetter.objects.get(pk=second).crash_count == 0


def test_what_stopped_its_worker_three_times_is_not_tried_again(letters):
    (letter_id,) = letters(1, crash_count=2)
    operation = ask("retry", filter={})
    run.run(operation.pk, seconds=0)
    claims.claim_these([letter_id], "a worker that dies", 60, operation.pk)
    execute("UPDATE dlq_events SET lease_until = now() - interval '1 s' RETURNING id")
    work()
    assert counts(operation) == ("completed", 1, 0, 0, 1)
    assert statuses() == {"QUARANTINED": 1}
    assert "stopped its worker" in receipt.items(operation.pk)[0].reason


def test_a_lease_lost_under_a_slow_handler_is_reported(letters, monkeypatch):
    letters(1)
    operation = ask("retry", filter={})
    original = dead_letters.handle_claim

    def slow(claim):
        execute("UPDATE dlq_events SET lease_until = now() - interval '1 s' RETURNING id")
        claims.reclaim()
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", slow)
    work()
    assert counts(operation) == ("completed", 1, 0, 0, 1)
    assert "lease ran out" in receipt.items(operation.pk)[0].reason


def test_a_record_that_the_database_refuses_is_a_failure_and_not_a_crash(letters):
    with_nul, good = letters(2)
    execute(
        "CREATE FUNCTION refuse_record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF NEW.source_key LIKE %s THEN RAISE EXCEPTION 'no room for it'; END IF; RETURN NEW; END $$;"
        "CREATE TRIGGER refuse_record BEFORE INSERT ON enriched_events"
        " FOR EACH ROW EXECUTE FUNCTION refuse_record()",
        f"%/{with_nul}",
    )
    try:
        operation = ask("retry", filter={})
        work()
    finally:
        execute("DROP FUNCTION refuse_record CASCADE")
    assert counts(operation) == ("completed", 2, 1, 0, 1)
    assert DeadLetter.objects.get(pk=with_nul).error_reason == (
        "UnusableRecord: the database did not store it: no room for it"
    )
    assert DeadLetter.objects.get(pk=good).status == "SUCCEEDED"


def test_a_wrong_handlers_module_stops_the_operation_and_fails_no_event(letters, settings):
    letters(2)
    settings.DLQ_HANDLERS = "no.such.module"
    operation = ask("retry", filter={})
    run.run(operation.pk)
    assert counts(operation) == ("running", 2, 0, 0, 0)
    assert "no.such.module" in operation.note


def test_the_audit_log_is_written_before_the_handlers_run(letters, monkeypatch):
    letters(2)
    operation = ask("retry", filter={})
    seen = []
    original = dead_letters.handle_claim

    def look(claim):
        seen.append(AuditEntry.objects.filter(operation_id=operation.pk, action="retry").count())
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", look)
    work()
    assert seen == [1, 1]
    begun, ended = AuditEntry.objects.filter(action="retry").order_by("id")
    assert begun.detail["begun"] == 2
    assert (ended.detail["done"], ended.detail["failed"]) == (2, 0)


def told(operation):
    """What the timeline counts, all entries together."""
    details = [entry.detail for entry in receipt.timeline(operation.pk) if "first" in entry.detail]
    return tuple(sum(detail.get(name, 0) for detail in details) for name in ("done", "skipped", "failed"))


@pytest.mark.parametrize("dies", [SystemExit, KeyboardInterrupt])
def test_the_timeline_counts_outcomes_and_no_tries_that_ended_their_worker(letters, monkeypatch, dies):
    letters(1), letters(1, payload='{"do": "business"}'), letters(1, status="SUCCEEDED")
    killers = letters(2, payload='{"order_id": 1}')
    letters(1)
    operation = ask("retry", filter={})
    original = dead_letters.handle_claim

    def deadly(claim):
        if claim.id in killers:
            raise dies
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", deadly)
    for _ in range(20):
        with suppress(dies):
            run.run(operation.pk)
        assert told(operation) == counts(operation)[2:]
        execute("UPDATE dlq_events SET lease_until = now() - interval '1 s' WHERE status = 'RETRYING'")
        execute("UPDATE operations SET lease_until = now() - interval '1 s' WHERE status = 'running'")
        claims.reclaim()
    assert counts(operation) == ("completed", 6, 2, 1, 3)


def test_what_a_dead_worker_did_not_note_is_told_with_the_newest_pages(letters, monkeypatch):
    letters(2), letters(1, payload='{"do": "business"}')
    operation = ask("retry", filter={})
    with monkeypatch.context() as patched:
        patched.setattr(RetryPages, "_end", lambda pages: None)
        run.run(operation.pk)
    assert told(operation) == counts(operation)[2:] == (2, 0, 1)


def test_plain_data_is_told_who_it_is(letters):
    letters(1, source="/shop", source_key="a-7", headers='{"tenant": "t1"}')
    (claim,) = claims.claim_these(column("SELECT id FROM dlq_events"), "a test", 60, None)
    identity = dead_letters.handle_claim(claim).identity
    assert (identity.source, identity.source_key, identity.event_type) == ("/shop", "a-7", "order.created")
