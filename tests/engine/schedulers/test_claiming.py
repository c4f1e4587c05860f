"""A scheduler that wants leases calls functions: what holds for our schedule's claims holds for its own."""

import psycopg
import pytest

from tests.engine.schedulers.conftest import everything_said, refusal

CLAIM = "SELECT id, token FROM dead_letter_claim('order.created', %s, 'job-1')"
WHO = "scheduler (job-1)"


@pytest.fixture
def claim(scheduler):
    """claim(5) claims so many; ids and tokens."""

    def take(number: int = 50) -> list[tuple[int, object]]:
        return scheduler.execute(CLAIM, [number]).fetchall()

    return take


def test_a_claim_has_what_a_handler_needs(scheduler, report):
    number = report()
    found = scheduler.execute("SELECT * FROM dead_letter_claim('order.created')")
    names = [column.name for column in found.description]
    row = dict(zip(names, found.fetchone(), strict=True))
    assert row.pop("token")
    assert row == {
        "id": number, "event_type": "order.created", "payload": {"card": "4111-1111"}, "payload_raw": None,
        "headers": {}, "retry_count": 0, "max_retries": 240, "source": "sql",
        "source_key": f"dlq_events/{number}",
    }  # fmt: skip


def test_nobody_claims_what_is_claimed_and_only_what_is_due(world, scheduler, report, claim, row_of):
    due = {report() for _ in range(3)}
    world.owner().execute(
        "UPDATE dlq_events SET retry_after = now() + interval '1 h' WHERE id = %s", [report()]
    )
    report(event_type="payment.due")
    first = claim(2)
    with psycopg.connect(**world.address("scheduler"), autocommit=True) as other:
        second = other.execute(CLAIM, [50]).fetchall()
    assert len(first) == 2
    assert {number for number, _token in [*first, *second]} == due
    assert row_of(first[0][0], "status, begun_at IS NOT NULL") == ("RETRYING", True)


def test_a_success_is_told_once(scheduler, report, claim, row_of, told):
    report()
    [held] = claim()
    settle = "SELECT dead_letter_succeeded(%s, %s)"
    assert [scheduler.execute(settle, held).fetchone() for _ in range(2)] == [(True,), (False,)]
    assert row_of(held[0], "status, lease_token") == ("SUCCEEDED", None)
    assert told(held[0]) == [(WHO, "succeeded", "")]


def test_a_failure_waits_as_its_policy_says(world, scheduler, report, claim, row_of, told):
    report()
    world.owner().execute(
        "INSERT INTO retry_policies (event_type, backoff, backoff_base_seconds)"
        " VALUES ('order.created', 'fixed', 600)"
    )
    [held] = claim()
    failed = (
        "SELECT dead_letter_failed(%s, %s, 'Read timed out', 'java.net.SocketTimeoutException', 'at x',"
        " 'TRANSIENT')"
    )
    assert scheduler.execute(failed, held).fetchone() == ("PENDING",)
    row = row_of(held[0], "retry_count, error_category, retry_after - last_failure_at > interval '9 min'")
    assert row == (1, "TRANSIENT", True)
    assert told(held[0])[-1] == (WHO, "failed", "java.net.SocketTimeoutException: Read timed out")
    assert scheduler.execute(failed, held).fetchone() == (None,)


def test_the_last_failure_exhausts(world, scheduler, report, claim, row_of):
    report()
    world.owner().execute("INSERT INTO retry_policies (max_retries) VALUES (1)")
    [held] = claim()
    assert scheduler.execute("SELECT dead_letter_failed(%s, %s, 'no')", held).fetchone() == ("EXHAUSTED",)


def test_the_token_of_somebody_else_settles_nothing(world, scheduler, report, row_of):
    """It may read the token, as it may read every column."""
    number = report()
    world.owner().execute(
        "UPDATE dlq_events SET status = 'RETRYING', owner = 'machine:3', lease_token = gen_random_uuid(),"
        " lease_until = now() + interval '1 h'"
    )
    [token] = row_of(number, "lease_token")
    assert scheduler.execute("SELECT dead_letter_succeeded(%s, %s)", [number, token]).fetchone() == (False,)
    assert scheduler.execute("SELECT dead_letter_failed(%s, %s, 'x')", [number, token]).fetchone() == (None,)
    assert row_of(number, "status") == ("RETRYING",)


def test_a_lease_that_runs_out_is_taken_back_by_our_schedule_as_a_crash(world, report, claim, row_of, told):
    from dlqconsole.core.dead_letters import claims

    report()
    [(number, _token)] = claim()
    world.owner().execute("UPDATE dlq_events SET lease_until = now() - interval '1 s'")
    with world.as_role("app"):
        assert [row["id"] for row in claims.reclaim()] == [number]
    assert row_of(number, "status, crash_count, retry_count") == ("PENDING", 1, 1)
    assert told(number)[-1][0] == WHO


HELD_BACK = {
    "a pause of its type": "INSERT INTO retry_policies (event_type, paused_at)"
    " VALUES ('order.created', now())",
    "a pause of all": "INSERT INTO retry_policies (paused_at, paused_until)"
    " VALUES (now(), now() + interval '1 h')",
    "switched off": "INSERT INTO retry_policies (event_type, enabled) VALUES ('order.created', false)",
    "a closed window": "INSERT INTO retry_policies (window_days, window_begins, window_ends, window_zone)"
    " VALUES (to_char(now() + interval '2 days', 'dy'), '10:00', '11:00', 'UTC')",
    "a breaker held open": "INSERT INTO breakers (key, held, held_until) VALUES"
    " ('type:order.created', 'open', now() + interval '1 h')",
    "an open breaker": "INSERT INTO breakers (key, state, next_probe_at) VALUES"
    " ('type:order.created', 'open', now() + interval '1 min')",
    "a dependency that is away": "INSERT INTO breakers (key, state, next_probe_at, event_types) VALUES"
    " ('dependency:billing', 'open', now() + interval '1 min', '{order.created}')",
    "a category for people": "UPDATE dlq_events SET error_category = 'BUSINESS'",
    "what keeps coming back": "UPDATE dlq_events SET come_backs = 5",
}


@pytest.mark.parametrize("why", HELD_BACK)
def test_what_holds_our_schedule_back_holds_it_back(world, report, claim, why):
    report()
    world.owner().execute(HELD_BACK[why])
    assert claim() == []


def test_what_is_over_holds_nothing_back(world, report, claim):
    report()
    world.owner().execute(
        "INSERT INTO retry_policies (paused_at, paused_until)"
        " VALUES (now() - interval '2 h', now() - interval '1 h')"
    )
    world.owner().execute(
        "INSERT INTO retry_policies (event_type, window_days, window_begins, window_ends, window_zone)"
        " VALUES ('order.created', 'mon,tue,wed,thu,fri,sat,sun', '00:00', '00:00', 'nowhere')"
    )
    assert len(claim()) == 1


def test_one_tries_whether_an_outage_is_over_and_three_successes_end_it(world, scheduler, report, claim):
    for _ in range(5):
        report()
    world.owner().execute(
        "INSERT INTO breakers (key, state, next_probe_at, event_types) VALUES"
        " ('type:order.created', 'open', now(), '{order.created}')"
    )
    for _ in range(3):
        [held] = claim()
        assert claim() == []
        scheduler.execute("SELECT dead_letter_succeeded(%s, %s)", held)
    assert world.owner().execute("SELECT state FROM breakers").fetchone() == ("closed",)
    assert len(claim()) == 2


def test_what_fails_again_and_again_opens_the_breaker(world, scheduler, report, claim):
    world.owner().execute("INSERT INTO retry_settings VALUES (true, 240, 60, 60, 5, 3)")
    for _ in range(4):
        report()
    for held in claim():
        scheduler.execute(
            "SELECT dead_letter_failed(%s, %s, 'refused', error_category => 'DEPENDENCY')", held
        )
    assert world.owner().execute("SELECT state FROM breakers").fetchone() == ("open",)


@pytest.mark.parametrize("wrong", ["0", "10001", "1, NULL, '1 year'", "1, NULL, '0 s'", "NULL"])
def test_a_claim_without_bounds_is_refused(scheduler, wrong):
    said = refusal(scheduler, f"SELECT * FROM dead_letter_claim('order.created', {wrong})").message_primary
    assert "a number from 1 to 10000 and a lease from 1 second to 7 days" in said


def test_who_may_revive_may_do_that_alone(world, report, row_of):
    number = report()
    reviver = world.connect("reviver")
    assert reviver.execute("SELECT dead_letter_revive(%s)", [number]).fetchone() != (None,)
    assert reviver.execute("SELECT dead_letter_revive(%s)", [number]).fetchone() == (None,)
    assert row_of(number, "status") == ("REVIVED",)
    actor = world.owner().execute(
        "SELECT actor FROM audit_log WHERE action = 'revive' ORDER BY id DESC LIMIT 1"
    )
    assert actor.fetchone() == (f"sql:{world.prefix}reviver",)
    for statement in ("SELECT id FROM dlq_events", "SELECT id FROM message_queue"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reviver.execute(statement)


def test_who_may_only_revive_reads_no_payload_in_an_error(world):
    """A queue needs a name, and an event type may be empty."""
    [(number,)] = world.owner().execute(
        "INSERT INTO dlq_events (event_type, payload) VALUES ('', '{\"card\": 4111}') RETURNING id"
    )
    diag = refusal(world.connect("reviver"), "SELECT dead_letter_revive(%s)", [number])
    assert "message_queue_named" in diag.message_primary
    assert "4111" not in everything_said(diag)
