"""A scheduler of another program, unchanged: it reads what is PENDING and writes what came of it."""

import psycopg
import pytest

from tests.engine.schedulers.conftest import everything_said, refusal

DUE = """
    SELECT * FROM dlq_events
    WHERE status = 'PENDING' AND event_type = %s AND retry_count < %s AND retry_after <= now()
    ORDER BY created_at LIMIT 50 FOR UPDATE SKIP LOCKED
"""
SUCCEEDED = "UPDATE dlq_events SET status = 'SUCCEEDED', updated_at = now() WHERE id = %s"
FAILED = """
    UPDATE dlq_events SET retry_count = retry_count + 1, retry_after = now() + interval '6 hours',
        error_reason = %s, updated_at = now()
    WHERE id = %s
"""
WHO = "scheduler (retry-job)"
FIRST = "java.net.ConnectException: Connection refused"


def test_two_of_its_instances_never_have_the_same_rows(world, scheduler, report):
    numbers = {report() for _ in range(60)}
    with scheduler.transaction():
        mine = {row[0] for row in scheduler.execute(DUE, ["order.created", 240])}
        with psycopg.connect(**world.address("scheduler")) as other:
            theirs = {row[0] for row in other.execute(DUE, ["order.created", 240])}
    assert len(mine) == 50
    assert mine | theirs == numbers
    assert not mine & theirs


def test_what_it_calls_succeeded_is_so_and_told_as_its_attempt(scheduler, report, row_of, told):
    number = report()
    scheduler.execute(SUCCEEDED, [number])
    assert row_of(number, "status, owner") == ("SUCCEEDED", None)
    assert told(number) == [(WHO, "succeeded", "")]


def test_a_retry_that_it_counts_is_a_failure_of_its_story(scheduler, report, row_of, told):
    number = report()
    scheduler.execute(FAILED, ["java.net.SocketTimeoutException: Read timed out", number])
    row = row_of(
        number, "status, retry_count, occurrences, error_class, retry_after > now() + interval '5 hours'"
    )
    assert row == ("PENDING", 1, 2, "java.net.SocketTimeoutException", True)
    assert told(number) == [
        ("", "failed", FIRST),
        (WHO, "failed", "java.net.SocketTimeoutException: Read timed out"),
    ]


def test_a_failure_in_the_same_words_is_one_more(scheduler, report, told):
    number = report()
    for _ in range(2):
        scheduler.execute(FAILED, [FIRST, number])
    assert told(number) == [("", "failed", FIRST), (WHO, "failed", FIRST), (WHO, "failed", FIRST)]


@pytest.mark.parametrize(
    ("limit", "statement"),
    [
        ("its own", "UPDATE dlq_events SET max_retries = 1"),
        ("of all", "INSERT INTO retry_policies (max_retries) VALUES (1)"),
        (
            "of its type",
            "INSERT INTO retry_policies (event_type, max_retries) VALUES (NULL, 9), ('order.created', 1)",
        ),
        ("of the settings", "INSERT INTO retry_settings VALUES (true, 1, 60, 60, 5, 20)"),
    ],
)
def test_at_its_limit_it_is_exhausted_by_the_rule_of_all(world, scheduler, report, row_of, limit, statement):
    number = report()
    world.owner().execute(statement)
    scheduler.execute(FAILED, ["again", number])
    assert row_of(number, "status, retry_count") == ("EXHAUSTED", 1)


def test_the_limit_of_the_group_into_which_it_fails_counts(world, scheduler, report, row_of):
    first, second = report(), report()
    scheduler.execute(FAILED, ["PaymentDown: no", first])
    world.owner().execute(
        "INSERT INTO retry_policies (group_id, max_retries) SELECT group_id, 1 FROM dlq_events WHERE id = %s",
        [first],
    )
    scheduler.execute(FAILED, ["PaymentDown: no", second])
    assert row_of(second, "status") == ("EXHAUSTED",)


def test_a_mapper_that_writes_every_column_changes_what_it_means_to(scheduler, report, row_of, told):
    """Numbers come back in another spelling; they are no edit."""
    number = report(payload='{"amount": 1.10, "card": "4111"}')
    before = row_of(number, "created_at, payload::text")
    scheduler.execute(
        "UPDATE dlq_events SET event_type = event_type, payload = %s, error_reason = error_reason,"
        " error_stacktrace = error_stacktrace, status = 'SUCCEEDED', retry_count = retry_count,"
        " retry_after = retry_after, created_at = now(), updated_at = now() WHERE id = %s",
        ['{"card": "4111", "amount": 1.1}', number],
    )
    assert row_of(number, "created_at, payload::text") == before
    assert row_of(number, "status, payload_version") == ("SUCCEEDED", 0)


REFUSED = {
    "SET status = 'RETRYING'": "SELECT * FROM dead_letter_claim('order.created')",
    "SET status = 'REVIVED'": "SELECT dead_letter_revive(",
    "SET status = 'DISCARDED'": "the command deadletters discard",
    "SET status = 'LOST'": "the command deadletters discard",
    "SET payload = '2'": "the command deadletters edit",
    "SET event_type = 'mine'": "the command deadletters edit",
    "SET retry_count = -1": "A person retries",
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_breaks_a_promise_is_refused_and_the_way_is_named(scheduler, report, row_of, change):
    number = report()
    before = row_of(number, "*")
    diag = refusal(scheduler, f"UPDATE dlq_events {change}")
    assert diag.message_primary.startswith(f"dead letter {number}: ")
    assert REFUSED[change] in diag.message_hint
    assert "4111" not in everything_said(diag)
    assert row_of(number, "*") == before


@pytest.mark.parametrize(
    ("status", "columns", "way"),
    [
        (
            "RETRYING",
            "lease_token = gen_random_uuid(), lease_until = now() + interval '1 h'",
            "dead_letter_succeeded",
        ),
        ("REVIVED", "revive_count = 1, revived_at = now()", "Complete the message"),
        ("EXHAUSTED", "retry_count = 9", "dead_letter_report"),
    ],
)
def test_what_somebody_else_has_is_not_for_it_to_settle(
    world, scheduler, report, row_of, status, columns, way
):
    number = report()
    world.owner().execute(f"UPDATE dlq_events SET status = '{status}', {columns}")
    for statement, values in ((SUCCEEDED, [number]), (FAILED, ["again", number])):
        assert way in refusal(scheduler, statement, values).message_hint
    assert row_of(number, "status") == (status,)


def test_who_restarts_the_count_in_sql_of_the_app_is_no_scheduler(world, report, told):
    """What the app does by SQL stays as it is: only a count that rises, or a success, is an attempt."""
    number = report()
    world.connect("app").execute("UPDATE dlq_events SET retry_count = 3, last_failure_at = clock_timestamp()")
    world.connect("app").execute("UPDATE dlq_events SET retry_count = 0, retry_after = now()")
    assert told(number) == [("", "failed", FIRST)]


def test_it_shares_the_lock_of_a_java_fleet(world, scheduler):
    scheduler.execute(
        "INSERT INTO shedlock (name, lock_until, locked_at, locked_by) VALUES ('dlq-retry',"
        " timezone('utc', now()) + interval '1 minute', timezone('utc', now()), 'java-1')"
        " ON CONFLICT (name) DO UPDATE SET lock_until = excluded.lock_until, locked_at = excluded.locked_at,"
        " locked_by = excluded.locked_by WHERE shedlock.lock_until <= timezone('utc', now())"
    )
    assert (
        world.owner()
        .execute("SELECT token, locked_by FROM lock_tokens WHERE name = 'dlq-retry'")
        .fetchone()[1]
        == "java-1"
    )


def test_a_view_of_its_own_event_types_hides_the_others(world, scheduler, report):
    """As docs/security.md says: the same statements, by a search_path."""
    report(event_type="payment.due")
    number = report()
    careless = world.role("careless").as_string(None)
    world.owner().execute(
        "CREATE SCHEMA orders; CREATE VIEW orders.dlq_events AS SELECT * FROM public.dlq_events"
        " WHERE event_type = 'order.created' WITH CHECK OPTION;"
        f" GRANT USAGE ON SCHEMA orders TO {careless}; GRANT SELECT ON orders.dlq_events TO {careless};"
        " GRANT UPDATE (status, retry_count, retry_after, error_reason, updated_at) ON orders.dlq_events"
        f" TO {careless}"
    )
    try:
        link = world.connect("careless")
        link.execute("SET search_path = orders, public")
        assert [row[0] for row in link.execute(DUE, ["order.created", 240])] == [number]
        assert not link.execute(DUE, ["payment.due", 240]).fetchall()
        link.execute("UPDATE dlq_events SET status = 'SUCCEEDED'")
        assert "dead_letter_report" in refusal(link, "UPDATE dlq_events SET status = 'PENDING'").message_hint
        link.execute("RESET search_path")
    finally:
        world.owner().execute("DROP SCHEMA orders CASCADE")
    states = world.owner().execute("SELECT event_type, status FROM dlq_events ORDER BY 1").fetchall()
    assert states == [("order.created", "SUCCEEDED"), ("payment.due", "PENDING")]
