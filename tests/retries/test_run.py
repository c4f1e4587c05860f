"""A run drains what is due: what heals, heals; what fails waits longer; what has used its retries is seen."""

import pytest
from django.db import DatabaseError

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.dead_letters.claims import ClaimRequest
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.retries import run, worker_lane
from dlqconsole.retries.models import RetryRun
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_drains_what_is_due_and_not_just_one_batch(letters, settings):
    settings.DLQ_RETRY_BATCH_SIZE = 7
    letters(30)
    done = run.run()
    assert (done.claimed, done.succeeded, done.failed, done.lost) == (30, 30, 0, 0)
    assert statuses() == {"SUCCEEDED": 30}
    assert done.finished_at is not None
    assert (done.note, done.more_due) == ("", False)


def test_what_is_not_due_or_not_for_machines_is_left_alone(letters):
    letters(2, error_category="BUSINESS")
    letters(2, status="QUARANTINED")
    later = letters(2)
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 h' WHERE id = ANY(%s)", later)
    letters(1)
    assert run.run().claimed == 1
    assert statuses() == {"PENDING": 4, "QUARANTINED": 2, "SUCCEEDED": 1}


def test_what_keeps_coming_back_is_left_to_a_person(letters, settings):
    letters(2, come_backs=5)
    letters(1, come_backs=4)
    assert run.run().claimed == 1
    assert statuses() == {"PENDING": 2, "SUCCEEDED": 1}
    assert not claims.any_due([ClaimRequest("order.created", 1, 240, 60.0)])
    settings.DLQ_COME_BACKS = 6
    assert run.run().claimed == 2


def test_a_failure_waits_longer_each_time_but_never_longer_than_the_cap(letters, settings, monkeypatch):
    settings.DLQ_RETRY_BACKOFF_BASE, settings.DLQ_RETRY_BACKOFF_CAP = 100, 1000
    monkeypatch.setattr("random.random", lambda: 1.0)
    letters(1, payload='{"do": "transient"}')
    waits = []
    for _ in range(6):
        run.run()
        waits += column("SELECT round(extract(epoch FROM retry_after - last_failure_at)) FROM dlq_events")
        execute("UPDATE dlq_events SET retry_after = now()")
    assert waits == sorted(waits)
    assert waits[0] == 100
    assert waits[-1] == 1000
    assert DeadLetter.objects.get().retry_count == 6


def test_delays_are_spread(letters, settings):
    settings.DLQ_RETRY_BACKOFF_BASE = 1000
    letters(20, payload='{"do": "transient"}')
    run.run()
    assert column("SELECT count(DISTINCT retry_after) FROM dlq_events") == [20]


def test_at_the_maximum_it_is_exhausted_and_seen(letters, settings):
    settings.DLQ_RETRY_MAX_RETRIES = 3
    letters(1, payload='{"do": "transient"}', retry_count=2)
    letters(2, retry_count=3)
    done = run.run()
    assert (done.claimed, done.failed, done.exhausted) == (1, 1, 3)
    assert statuses() == {"EXHAUSTED": 3}


def test_its_own_maximum_counts_more_than_the_settings(letters):
    letters(1, payload='{"do": "transient"}', max_retries=1)
    run.run()
    assert statuses() == {"EXHAUSTED": 1}


def test_a_failure_that_only_a_person_can_mend_is_not_due_again(letters):
    letters(1, payload='{"do": "business"}')
    run.run()
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_category) == ("PENDING", "BUSINESS")
    assert run.run().claimed == 0


def test_the_time_budget_ends_a_run_and_gives_the_rest_back(letters, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 0.3
    handling.registry()  # loaded beforehand: the first import takes longer than the budget
    letters(50, payload='{"do": "sleep", "seconds": 0.05}')
    done = run.run()
    assert 0 < done.succeeded < 50
    assert "more follow" in done.note
    assert done.more_due
    assert statuses() == {"SUCCEEDED": done.succeeded, "PENDING": 50 - done.succeeded}
    assert column("SELECT DISTINCT retry_count FROM dlq_events WHERE status = 'PENDING'") == [0]


def test_a_lost_lease_is_counted_and_its_new_holder_left_alone(letters, monkeypatch):
    letters(1)
    original = dead_letters.handle_claim

    def slow(claim):
        execute("UPDATE dlq_events SET lease_token = gen_random_uuid(), owner = 'another'")
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", slow)
    done = run.run()
    assert (done.claimed, done.succeeded, done.lost) == (1, 0, 1)
    assert column("SELECT owner FROM dlq_events WHERE status = 'RETRYING'") == ["another"]


def test_leases_of_the_rest_are_extended_while_handlers_are_slow(letters, settings, monkeypatch):
    settings.DLQ_LEASE_SECONDS, settings.DLQ_HANDLER_TIMEOUT = 1, 1
    letters(10, payload='{"do": "sleep", "seconds": 0.4}')
    original = dead_letters.handle_claim

    def reclaimed_meanwhile(claim):
        assert claims.reclaim() == []
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", reclaimed_meanwhile)
    done = run.run()
    assert (done.succeeded, done.lost) == (10, 0)


def test_leases_lost_among_the_rest_are_counted_too(letters, settings, monkeypatch):
    ids = sorted(letters(4))
    settings.DLQ_LEASE_SECONDS = 0  # extend before each
    monkeypatch.setattr(worker_lane, "AHEAD_SECONDS", 100.0)
    original = dead_letters.handle_claim

    def taken(claim):
        if claim.id == ids[0]:
            execute("UPDATE dlq_events SET lease_token = gen_random_uuid() WHERE id = %s", ids[2])
        return original(claim)

    monkeypatch.setattr(dead_letters, "handle_claim", taken)
    done = run.run()
    assert (done.claimed, done.succeeded, done.lost) == (4, 3, 1)


@pytest.mark.parametrize("begun", [True, False])
def test_what_dead_workers_held_is_taken_back_and_charged_only_if_it_had_begun(letters, begun):
    (letter_id,) = letters(1)
    before = column("SELECT retry_after FROM dlq_events")
    [[claim]] = claims.claim_due([ClaimRequest("order.created", 1, 240, 60)], "a worker that dies").claims
    if begun:
        assert claims.begin([claim], [-1]).keys() == {letter_id}
    else:
        claims.extend([claim], [-1])
    claims.reclaim()
    letter = DeadLetter.objects.get(pk=letter_id)
    assert (letter.status, letter.begun_at) == ("PENDING", None)
    assert (letter.crash_count, letter.retry_count) == (begun, begun)
    assert ([letter.retry_after] == before) is not begun
    assert Attempt.objects.filter(kind="crash").count() == begun


def test_what_has_begun_is_not_begun_again(letters):
    letters(1)
    [[claim]] = claims.claim_due([ClaimRequest("order.created", 1, 240, 60)], "me").claims
    assert claims.begin([claim], [60]).keys() == {claim.id}
    assert claims.begin([claim], [60]) == {}


def test_an_error_in_a_run_ends_it_visibly_and_gives_everything_back(letters, monkeypatch):
    letters(5)
    monkeypatch.setattr(dead_letters, "handle_claim", lambda _claim: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.run()
    done = RetryRun.objects.get()
    assert "ZeroDivisionError" in done.note
    assert (done.ended_for, done.more_due) == ("error", True)
    assert done.finished_at is not None
    assert statuses() == {"PENDING": 5}
    # the one in hand had begun
    assert Attempt.objects.count() == sum(column("SELECT retry_count FROM dlq_events")) == 1


@pytest.fixture
def refused_rows(db):
    """Whatever changes a dead letter is refused as PostgreSQL refuses a row: it prints it."""
    execute("""
        CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE 'new row is refused' USING DETAIL = 'Failing row contains (' || NEW.payload::text || ')';
        END $$;
        CREATE TRIGGER refuse_row BEFORE UPDATE ON dlq_events FOR EACH ROW EXECUTE FUNCTION refuse_row();
    """)
    yield
    execute("DROP FUNCTION refuse_row CASCADE")


def test_an_error_of_the_database_is_noted_without_the_row(letters, refused_rows):
    letters(1, '{"card": 4929}')
    with pytest.raises(DatabaseError):
        run.run()
    assert RetryRun.objects.get().note == "stopped by ProgrammingError: new row is refused"


def test_runs_that_are_long_over_are_forgotten_with_what_their_workers_did(letters):
    letters(1)
    old, goes_on, newer = run.run().pk, run.run().pk, run.run().pk
    execute(
        "UPDATE retry_runs SET started_at = now() - interval '91 days' WHERE id IN (%s, %s)", old, goes_on
    )
    execute("UPDATE retry_runs SET finished_at = NULL WHERE id = %s", goes_on)
    newest = run.run().pk
    assert column("SELECT id FROM retry_runs ORDER BY id") == [goes_on, newer, newest]
    assert column("SELECT DISTINCT run_id FROM retry_run_workers ORDER BY 1") == [goes_on, newer, newest]
